#include "lpot/model/reshape.h"

#include <fmt/format.h>

#include <openvino/openvino.hpp>
#include <optional>
#include <regex>

namespace lpot {
namespace {

// " at the op 'NAME' (TYPE)" of "While validating node 'opset1::Reshape NAME (...) -> (...)' with friendly_name
// 'NAME':".
std::string op_of_message(std::string_view message) {
  static const std::regex kNode(R"(While validating node '(?:\w+::)?(\w+) [^\n]*with friendly_name '([^'\n]*)')");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(message.begin(), message.end(), match, kNode)) return "";
  return fmt::format(" at the op '{}' ({})", match[2].str(), match[1].str());
}

// The batch size that the first dimension of the inputs contains, else 1.
std::size_t exported_batch(const Model& model) {
  for (const auto& input : model.graph->inputs())
    if (const ov::PartialShape& shape = input.get_partial_shape();
        shape.rank().is_static() && shape.size() > 0 && shape[0].is_static())
      return static_cast<std::size_t>(shape[0].get_length());
  return 1;
}

// The shapes with another batch size; empty if the inputs have different first dimensions or already this batch size.
std::vector<Shape> with_batch(const std::vector<Shape>& shapes, std::size_t batch) {
  std::vector<Shape> changed = shapes;
  std::optional<std::size_t> found;
  for (Shape& shape : changed) {
    if (shape.empty()) continue;
    if (found.value_or(shape[0]) != shape[0] || shape[0] == batch) return {};
    found = shape[0];
    shape[0] = batch;
  }
  return changed;
}

}  // namespace

std::shared_ptr<ov::Model> reshaped_graph(const Model& model, const std::vector<Shape>& shapes) {
  auto graph = model.graph->clone();
  std::map<std::size_t, ov::PartialShape> by_input;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    by_input[i] = ov::PartialShape(ov::Shape(shapes[i].begin(), shapes[i].end()));
  graph->reshape(by_input);
  return graph;
}

bool accepts_shapes(const Model& model, const std::vector<Shape>& shapes) {
  const auto inputs = model.graph->inputs();
  return std::equal(inputs.begin(), inputs.end(), shapes.begin(), shapes.end(), [](const auto& input, const Shape& s) {
    return input.get_partial_shape().compatible(ov::PartialShape(ov::Shape(s.begin(), s.end())));
  });
}

std::string explain_fixed_batch(const Model& model, const std::vector<Shape>& shapes, std::string_view message) {
  const std::size_t batch = exported_batch(model);
  const std::vector<Shape> other = with_batch(shapes, batch);
  if (other.empty()) return "";
  try {
    reshaped_graph(model, other);
  } catch (const std::exception&) {  // the batch size is not the cause
    return "";
  }
  std::size_t wanted = 0;
  for (const Shape& shape : shapes)
    if (!shape.empty()) wanted = shape[0];
  return fmt::format(
      "the batch size is {}, but the model has a fixed batch size of {}{}. Use batch size {} (--batch-size of 'lpot "
      "bench', batch_size of a dataloader), or export the model with a dynamic batch",
      wanted, batch, op_of_message(message), batch);
}

}  // namespace lpot
