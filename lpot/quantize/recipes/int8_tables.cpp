#include "lpot/quantize/recipes/int8_tables.h"

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

namespace lpot {

std::vector<TableEdit> table_edits(const Model& model) {
  namespace op = ov::opset8;
  constexpr std::size_t kLarge = 1 << 16;  // numbers
  constexpr std::size_t kWide = 64;        // columns
  std::vector<TableEdit> edits;
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (std::string_view(node->get_type_name()) != "Gather") continue;
    const auto table = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(0));
    const auto axis = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(2));
    if (!table || !axis || table->get_element_type() != ov::element::f32 || table->get_shape().size() != 2) continue;
    if (axis->cast_vector<std::int64_t>() != std::vector<std::int64_t>{0}) continue;
    const ov::Shape& shape = table->get_shape();
    const bool is_large = ov::shape_size(shape) >= kLarge;
    if (!is_large && shape[1] < kWide) continue;
    edits.push_back(
        {op_name(*node), std::make_shared<QuantizedWeights>(quantize_weights(
                             table->cast_vector<float>(), Shape(shape.begin(), shape.end()), {is_large ? 0u : 1u},
                             {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 8}))});
  }
  return edits;
}

}  // namespace lpot
