#include "lpot/quantize/graph/quantizable_ops.h"

#include "lpot/core/error.h"
#include "lpot/model/bodies.h"
#include "lpot/model/source_graph.h"
#include "lpot/quantize/graph/box_decoding.h"
#include "lpot/quantize/graph/integer_reads.h"
#include "lpot/quantize/graph/placement.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/sequences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>
#include <set>

namespace lpot {
namespace {

namespace op = ov::opset8;

using Axes = std::vector<std::size_t>;

// Dimensions of the weights that hold the output and the input channels.
struct ChannelAxes {
  Axes output;
  Axes input;
};

// Empty when this kind of op is not supported.
std::optional<ChannelAxes> channel_axes(const ov::Node& node) {
  if (ov::is_type<op::Convolution>(&node)) return ChannelAxes{{0}, {1}};
  if (ov::is_type<op::GroupConvolution>(&node)) return ChannelAxes{{0, 1}, {0, 2}};
  if (ov::is_type<op::ConvolutionBackpropData>(&node)) return ChannelAxes{{1}, {0}};
  if (const auto product = ov::as_type<const op::MatMul>(&node)) {
    if (product->get_transpose_a() || node.get_input_shape(1).size() != 2) return std::nullopt;
    return product->get_transpose_b() ? ChannelAxes{{0}, {1}} : ChannelAxes{{1}, {0}};
  }
  return std::nullopt;
}

bool is_float_constant(const ov::Node& node, std::size_t input) {
  const auto constant = ov::as_type<const op::Constant>(node.get_input_node_ptr(input));
  return constant && constant->get_element_type() == ov::element::f32 && ov::shape_size(constant->get_shape()) > 0;
}

bool has_float_constant_weights(const ov::Node& node) { return is_float_constant(node, 1); }

// What keeps a product with constant weights in fp32; empty for other ops.
std::string unsupported_product(const ov::Node& node) {
  if (ov::is_type<op::Einsum>(&node)) {
    for (std::size_t i = 0; i < node.get_input_size(); ++i)
      if (is_float_constant(node, i)) return "Einsum";
    return {};
  }
  const auto product = ov::as_type<const op::MatMul>(&node);
  if (!product) return {};
  if (is_float_constant(node, 0)) return "MatMul with the weights as first input";
  if (!is_float_constant(node, 1)) return {};
  const std::size_t rank = node.get_input_shape(1).size();
  if (rank != 2) return fmt::format("MatMul with weights of rank {}", rank);
  return product->get_transpose_a() ? "MatMul with transposed first input" : "";
}

// Collects points in insertion order and skips duplicate tensors.
struct UniquePoints {
  std::vector<ObservationPoint> list;
  std::set<std::string> tensors;

  void add(const ObservationPoint& point) {
    if (tensors.insert(point.tensor).second) list.push_back(point);
  }
};

}  // namespace

std::vector<QuantizableOp> quantizable_ops(const Model& model) {
  std::vector<QuantizableOp> ops;
  for (const auto& node : all_ops(*model.graph)) {
    const Capability* row = find_capability(node->get_type_name());
    if (!row || !has_float_constant_weights(*node) || node->get_input_element_type(0) != ov::element::f32) continue;
    // Skip a constant activation: such a product would be folded.
    if (ov::is_type<op::Constant>(node->get_input_node_ptr(0))) continue;
    const auto axes = channel_axes(*node);
    if (!axes || !may_be_quantized(node->input(0)) || decodes_boxes(*node)) continue;
    if (ov::is_type<op::MatMul>(node) && !may_be_int8_product(*node)) continue;
    const auto activation = node->input_value(0);
    const ov::Shape& shape = node->get_input_shape(1);
    ops.push_back({op_name(*node), row->op_type, tensor_name(*activation.get_node(), activation.get_index()),
                   axes->output, axes->input, Shape(shape.begin(), shape.end())});
  }
  return ops;
}

std::string unsupported_products(const Model& model) {
  std::map<std::string, int> kinds;
  for (const auto& node : all_ops(*model.graph))
    if (const std::string kind = unsupported_product(*node); !kind.empty()) ++kinds[kind];
  std::vector<std::string> listed;
  for (const auto& [kind, count] : kinds) listed.push_back(fmt::format("{} {}", count, kind));
  return fmt::format("{}", fmt::join(listed, ", "));
}

std::vector<ObservationPoint> observation_points(const std::vector<QuantizableOp>& ops) {
  UniquePoints points;
  for (const QuantizableOp& quantizable : ops)
    points.add({quantizable.activation, find_capability(quantizable.type)->channel_axis});
  return points.list;
}

std::vector<ObservationPoint> observation_points(const Model& model) {
  UniquePoints points;
  for (const ObservationPoint& point : observation_points(quantizable_ops(model))) points.add(point);
  for (const ObservationPoint& point : product_points(model)) points.add(point);
  for (const ObservationPoint& point : sequence_points(model)) points.add(point);
  // Without these statistics, ops without weights read floats.
  const auto add_optional = [&](const std::string& tensor) { points.add({tensor, 1, true}); };
  for (const ResidualSum& sum : residual_sums(model)) {
    add_optional(sum.from_convolution);
    if (!sum.bypass_producer.empty()) add_optional(sum.bypass);
  }
  for (const std::string& tensor : tensors_of_integer_reads(model)) add_optional(tensor);
  return points.list;
}

std::vector<std::pair<std::string, std::vector<float>>> float_weights(const Model& model,
                                                                      const std::vector<QuantizableOp>& ops) {
  std::set<std::string> wanted;
  for (const QuantizableOp& op : ops)
    if (op.second.empty()) wanted.insert(op.name);
  std::vector<std::pair<std::string, std::vector<float>>> weights;
  for (const auto& node : all_ops(*model.graph)) {
    if (!wanted.contains(op_name(*node))) continue;
    const auto constant = ov::as_type<const op::Constant>(node->get_input_node_ptr(1));
    if (constant) weights.emplace_back(op_name(*node), constant->cast_vector<float>());
  }
  return weights;
}

std::set<std::string> float_tensors(const Model& model) {
  std::set<std::string> tensors;
  for (const auto& node : all_ops(*model.graph))
    for (std::size_t i = 0; i < node->get_output_size(); ++i)
      if (node->get_output_element_type(i) == ov::element::f32) tensors.insert(tensor_name(*node, i));
  return tensors;
}

NamedOps named_ops(const Model& model) {
  return {list_ops(model), [source = model.source, format = model.format] {
            std::vector<OpInfo> nodes;
            try {
              for (const SourceNode& node : read_source_graph(source, format).nodes)
                nodes.push_back({node.name, node.op});
            } catch (const Error&) {  // the model was built in memory, or its file was deleted
            }
            return nodes;
          }};
}

}  // namespace lpot
