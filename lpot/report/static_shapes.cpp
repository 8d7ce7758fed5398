#include "lpot/report/static_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lpot {
namespace {

// `entry`: the format of an input and its shape.
std::string list(const StaticShapes& shapes, fmt::format_string<std::string, std::string> entry) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < shapes.inputs.size(); ++i) {
    const auto& [name, shape] = shapes.inputs[i];
    entries.push_back(fmt::format(entry, shapes.are_named ? fmt::format("\"{}\"", name) : std::to_string(i),
                                  fmt::format("{}", fmt::join(shape, ", "))));
  }
  return fmt::format("{}", fmt::join(entries, ", "));
}

}  // namespace

const Shape* StaticShapes::find(const std::string& input) const {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const Input& known) { return known.name == input; });
  return found == inputs.end() ? nullptr : &found->shape;
}

std::string StaticShapes::cpp_line() const {
  return fmt::format("model->reshape(std::map<{}, ov::PartialShape>{{{}}});", are_named ? "std::string" : "std::size_t",
                     list(*this, "{{{}, {{{}}}}}"));
}

std::string StaticShapes::python_line() const { return fmt::format("model.reshape({{{}}})", list(*this, "{}: [{}]")); }

StaticShapes static_shapes(const Model& model, const std::vector<Tensor>& sample, const InputNaming& naming) {
  StaticShapes shapes;
  const auto ports = model_inputs(model);
  const bool any_open = std::any_of(ports.begin(), ports.end(), [](const Port& port) {
    return std::any_of(port.shape.begin(), port.shape.end(), [](std::int64_t dimension) { return dimension < 0; });
  });
  if (!any_open || sample.size() != ports.size()) return shapes;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    shapes.inputs.push_back({ports[i].name, sample[i].shape()});
    shapes.are_named = shapes.are_named && ports[i].is_named;
  }
  // If the sample is padded to one of the lengths, other samples have the other lengths.
  const bool has_lengths = std::any_of(sample.begin(), sample.end(), [&](const Tensor& tensor) {
    return tensor.shape().size() == 2 &&
           std::find(naming.lengths.begin(), naming.lengths.end(), tensor.shape()[1]) != naming.lengths.end();
  });
  if (has_lengths && naming.lengths.size() > 1) shapes.lengths = naming.lengths;
  return shapes;
}

}  // namespace lpot
