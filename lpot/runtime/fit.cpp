#include "lpot/runtime/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <openvino/openvino.hpp>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/model/state.h"

namespace lpot {
namespace {

// TensorFlow tensors are named x:0; users may write x.
bool same_name(const std::string& port, const std::string& name) {
  return port == name || port == name + ":0" || port + ":0" == name;
}

// The name without ":0".
std::string short_name(const std::string& port) {
  return port.ends_with(":0") ? port.substr(0, port.size() - 2) : port;
}

// The alternative names of an input in BERT models.
bool same_custom(const std::string& port, const std::string& name) {
  static const std::vector<std::vector<std::string>> kSame{{"input_ids", "input_word_ids"},
                                                           {"attention_mask", "input_mask"},
                                                           {"token_type_ids", "segment_ids", "input_type_ids"}};
  if (same_name(port, name)) return true;
  return std::any_of(kSame.begin(), kSame.end(), [&](const std::vector<std::string>& same) {
    const auto is = [](const std::string& word) {
      return [&word](const std::string& other) { return same_name(word, other); };
    };
    return std::any_of(same.begin(), same.end(), is(port)) && std::any_of(same.begin(), same.end(), is(name));
  });
}

std::string describe_ports(const std::vector<Port>& ports) {
  std::vector<std::string> texts;
  for (const Port& port : ports) texts.push_back(port.describe());
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The output number of a name: 2 for "IteratorGetNext:2".
std::optional<std::size_t> output_number(const std::string& port) {
  const auto colon = port.rfind(':');
  const bool numbered = colon != std::string::npos && colon + 1 < port.size() && port.size() - colon < 8 &&
                        port.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return numbered ? std::optional(std::stoul(port.substr(colon + 1))) : std::nullopt;
}

// Pads rows with zeros to the fixed length of the input, or to the next one of `lengths` if the input has none. Single
// values become rows of length one.
Tensor to_length(const Tensor& data, const Port& port, const std::vector<std::size_t>& lengths) {
  if (port.shape.size() != 2) return data;
  if (data.shape().size() == 1 && port.shape[1] == 1) return data.reshaped({data.shape()[0], 1});
  if (data.shape().size() != 2) return data;
  const auto next = std::lower_bound(lengths.begin(), lengths.end(), data.shape()[1]);
  const std::size_t length = port.shape[1] >= 0      ? static_cast<std::size_t>(port.shape[1])
                             : next != lengths.end() ? *next
                                                     : 0;
  if (data.shape()[1] >= length) return data;
  Tensor filled(data.element_type(), {data.shape()[0], length});
  const std::size_t from = data.byte_size() / data.shape()[0], to = filled.byte_size() / data.shape()[0];
  for (std::size_t row = 0; row < data.shape()[0]; ++row)
    std::memcpy(filled.bytes() + row * to, data.bytes() + row * from, from);
  return filled;
}

bool fits(const Shape& shape, const std::vector<std::int64_t>& wanted) {
  if (shape.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (wanted[i] >= 0 && static_cast<std::size_t>(wanted[i]) != shape[i]) return false;
  return true;
}

// A fixed first dimension is the batch size of the export. The model can be compiled for another one.
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

// A data set that names its inputs must not have data for a state.
void check_no_state(const Model& model, const InputNaming& naming) {
  if (naming.names_are_hints) return;
  const std::vector<Port> inputs = model_inputs(model), outputs = model_outputs(model);
  for (const StateBinding& bound : model.state)
    for (const std::string& name : naming.names)
      if (same_name(inputs[bound.input].name, name))
        throw DataError("data",
                        fmt::format("the data set has data for the input '{}', which model.state feeds from the "
                                    "output '{}'; remove the input from the data set or from model.state",
                                    name, outputs[bound.output].name));
}

// The state before the first step of a sequence.
Tensor zero_state(const Port& port, std::size_t rows) {
  Shape shape;
  for (const std::int64_t size : port.shape) shape.push_back(size < 0 ? rows : static_cast<std::size_t>(size));
  return Tensor(parse_element_type(port.element_type), shape);
}

// The value of a batch for an input without dimensions.
Tensor to_scalar(const Tensor& data, const Port& port) {
  for (std::size_t i = 1; i < data.size(); ++i)
    if (data.value_at(i) != data.value_at(0))
      throw DataError("data",
                      fmt::format("the input {} of the model is one value for the whole batch, but the samples of "
                                  "a batch have different values ({} and {}); set batch_size: 1",
                                  port.describe(), data.value_at(0), data.value_at(i)));
  if (data.size() == 0)
    throw DataError("data",
                    fmt::format("the data for the model input {} are empty; expected one value", port.describe()));
  return data.reshaped({data.size()}).slice(0);
}

Tensor to_port(const Tensor& data, const Port& port, bool is_text) {
  const ElementType wanted = parse_element_type(port.element_type);
  Tensor tensor = data;
  const bool batch_fits = port.shape.empty() || fits_with_any_batch(data.shape(), port.shape);
  const bool is_whole_input = !data.shape().empty() && data.shape()[0] == 1 &&
                              fits(Shape(data.shape().begin() + 1, data.shape().end()), port.shape);
  const bool type_fits = data.element_type() == wanted ||
                         (family(wanted) != Family::Other && family(wanted) == family(data.element_type()));
  if (!type_fits || (!batch_fits && !is_whole_input)) {
    const char* cure = is_text      ? "set max_seq_length to the length of the model, or write records of this length"
                       : !type_fits ? "convert with the transforms ToTensor, Rescale or Cast"
                                    : "reorder or resize with Transpose, Resize or CenterCrop";
    throw DataError("data",
                    fmt::format("the data do not match the model: its input is {}, a batch of the data is {}; {}",
                                port.describe(), data.describe(), cure));
  }
  if (!batch_fits) tensor = data.slice(0);
  return tensor.converted(wanted);
}

}  // namespace

InputFit::InputFit(const Model& model, const InputNaming& naming)
    : all_ports_(model_inputs(model)), state_(model.state), names_are_hints_(naming.names_are_hints) {
  for (std::size_t i = 0; i < all_ports_.size(); ++i)
    if (!is_state_input(model, i)) {
      ports_.push_back(all_ports_[i]);
      const ov::PartialShape& shape = model.graph->input(i).get_partial_shape();
      is_scalar_.push_back(shape.rank().is_static() && shape.rank().get_length() == 0);
    }
  check_no_state(model, naming);
  if (naming.names_are_hints) {
    match_hints(naming.names);
    const auto is_mask = [&](std::size_t tensor) { return same_custom(naming.names[tensor], "attention_mask"); };
    if (std::any_of(source_.begin(), source_.end(), is_mask)) lengths_ = naming.lengths;
  } else if (naming.names.empty()) {
    for (std::size_t i = 0; i < ports_.size(); ++i) source_.push_back(i);
  } else {
    match_exactly(naming.names);
  }
}

void InputFit::match_exactly(const std::vector<std::string>& names) {
  std::vector<std::string> port_names;
  for (const Port& port : ports_) port_names.push_back(short_name(port.name));
  for (const Port& port : ports_) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const std::string& name) { return same_name(port.name, name); });
    if (found == names.end())
      throw DataError("data", fmt::format("no data for the model input '{}'; the data set has {}", port.name,
                                          fmt::join(names, ", ")));
    source_.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  for (const std::string& name : names)
    if (std::none_of(port_names.begin(), port_names.end(),
                     [&](const std::string& port) { return same_name(port, name); }))
      throw DataError("data", fmt::format("the model has no input '{}'{}; its inputs are {}", name,
                                          did_you_mean(name, port_names), fmt::join(port_names, ", ")));
}

void InputFit::match_hints(const std::vector<std::string>& names) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<bool> taken(names.size(), false);
  bool numbered = true;
  for (const Port& port : ports_) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const std::string& name) { return same_custom(port.name, name); });
    source_.push_back(found == names.end() ? kNone : static_cast<std::size_t>(found - names.begin()));
    if (found != names.end()) taken[source_.back()] = true;
    numbered = numbered && output_number(port.name) &&
               ports_[0].name.substr(0, ports_[0].name.rfind(':')) == port.name.substr(0, port.name.rfind(':'));
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (source_[i] != kNone) continue;
    // If the inputs are outputs of one node, such as an input pipeline, their numbers are the indices of the tensors.
    const std::size_t next =
        numbered && ports_.size() > 1
            ? *output_number(ports_[i].name)
            : static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    if (next >= names.size())
      throw DataError("data", fmt::format("no data for the model input '{}'; the data set has {}", ports_[i].name,
                                          fmt::join(names, ", ")));
    source_[i] = next;
    taken[next] = true;
  }
}

std::vector<Tensor> InputFit::with_state(std::vector<Tensor> inputs, const std::vector<Tensor>& state) const {
  if (state_.empty()) return inputs;
  const std::size_t rows = inputs[0].shape().empty() ? 1 : inputs[0].shape()[0];
  std::vector<Tensor> all(all_ports_.size());
  for (std::size_t i = 0; i < state_.size(); ++i)
    all[state_[i].input] = state.empty() ? zero_state(all_ports_[state_[i].input], rows) : state.at(i);
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_state =
        std::any_of(state_.begin(), state_.end(), [&](const StateBinding& bound) { return bound.input == i; });
    if (!is_state) all[i] = std::move(inputs[next++]);
  }
  return all;
}

std::vector<Tensor> InputFit::apply(const std::vector<Tensor>& batch, const std::vector<Tensor>& state) const {
  if (!state_.empty() && !names_are_hints_ && batch.size() > ports_.size())
    throw DataError("data", fmt::format("the data have {} tensors, but the model has {} inputs besides those of "
                                        "model.state; expected one tensor for each",
                                        batch.size(), ports_.size()));
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (source_[i] >= batch.size())
      throw DataError("data", fmt::format("the model has {} inputs ({}), but a sample of the data has {}. Provide a "
                                          "tensor for each input, in this order",
                                          ports_.size(), describe_ports(ports_),
                                          batch.size() == 1 ? "1 tensor" : fmt::format("{} tensors", batch.size())));
    const Tensor data = is_scalar_[i] ? to_scalar(batch[source_[i]], ports_[i]) : batch[source_[i]];
    inputs.push_back(
        to_port(names_are_hints_ ? to_length(data, ports_[i], lengths_) : data, ports_[i], names_are_hints_));
  }
  return with_state(std::move(inputs), state);
}

}  // namespace lpot
