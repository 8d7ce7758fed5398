#include "lpot/runtime/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/text.h"

namespace lpot {
namespace {

// TensorFlow's tensors are called x:0; people write x.
bool same_name(const std::string& port, const std::string& name) {
  return port == name || port == name + ":0" || port + ":0" == name;
}

// As people write it.
std::string short_name(const std::string& port) {
  return port.ends_with(":0") ? port.substr(0, port.size() - 2) : port;
}

bool fits(const Shape& shape, const std::vector<std::int64_t>& wanted) {
  if (shape.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (wanted[i] >= 0 && static_cast<std::size_t>(wanted[i]) != shape[i]) return false;
  return true;
}

// A fixed first dimension is the batch the model was exported with: compiling takes another one.
bool fits_with_any_batch(const Shape& shape, std::vector<std::int64_t> wanted) {
  if (!wanted.empty()) wanted[0] = -1;
  return fits(shape, wanted);
}

enum class Family { Integer, Float, Other };
Family family(ElementType type) {
  switch (type) {
    case ElementType::I32:
    case ElementType::I64:
    case ElementType::U32:
    case ElementType::U64:
    case ElementType::I16:
    case ElementType::U16:
      return Family::Integer;
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::F32:
    case ElementType::F64:
      return Family::Float;
    default:
      return Family::Other;
  }
}

Tensor to_port(const Tensor& data, const Port& port) {
  const ElementType wanted = parse_element_type(port.element_type);
  Tensor tensor = data;
  const bool batch_fits = port.shape.empty() || fits_with_any_batch(data.shape(), port.shape);
  const bool is_whole_input = !data.shape().empty() && data.shape()[0] == 1 &&
                              fits(Shape(data.shape().begin() + 1, data.shape().end()), port.shape);
  const bool type_fits = data.element_type() == wanted ||
                         (family(wanted) != Family::Other && family(wanted) == family(data.element_type()));
  if (!type_fits || (!batch_fits && !is_whole_input)) {
    const char* cure = !type_fits ? "convert with the transforms ToTensor, Rescale or Cast"
                                  : "reorder or resize with Transpose, Resize or CenterCrop";
    throw DataError("data", fmt::format("the data do not fit the model: its input is {}, a batch of the data is {}; {}",
                                        port.describe(), data.describe(), cure));
  }
  if (!batch_fits) tensor = data.slice(0);
  return tensor.converted(wanted);
}

}  // namespace

InputFit::InputFit(const Model& model, const std::vector<std::string>& names) : ports_(model_inputs(model)) {
  std::vector<std::string> port_names;
  for (const Port& port : ports_) port_names.push_back(short_name(port.name));
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (names.empty()) {
      source_.push_back(i);
      continue;
    }
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return same_name(ports_[i].name, name); });
    if (found == names.end())
      throw DataError("data", fmt::format("the model's input '{}' gets no data: the data set has {}", ports_[i].name,
                                          fmt::join(names, ", ")));
    source_.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  for (const std::string& name : names)
    if (std::none_of(port_names.begin(), port_names.end(),
                     [&](const std::string& port) { return same_name(port, name); }))
      throw DataError("data", fmt::format("the model has no input '{}'{}; its inputs are {}", name,
                                          did_you_mean(name, port_names), fmt::join(port_names, ", ")));
}

std::vector<Tensor> InputFit::apply(const std::vector<Tensor>& batch) const {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (source_[i] >= batch.size())
      throw DataError("data", fmt::format("the model has {} inputs ({}, ...), the data give {}", ports_.size(),
                                          ports_[0].describe(), batch.size()));
    inputs.push_back(to_port(batch[source_[i]], ports_[i]));
  }
  return inputs;
}

}  // namespace lpot
