#include "lpot/quantize/quantize.h"

#include <fmt/format.h>

#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/calibrate/range.h"
#include "lpot/core/error.h"
#include "lpot/quantize/activation_range.h"
#include "lpot/quantize/capability.h"
#include "lpot/quantize/weights.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

// Constant(i8) -> Convert(f32) -> Multiply(scale): the form that the plug-in reads as int8 weights, a quarter on disk.
ov::Output<ov::Node> int8_weights(const op::Constant& weights, const std::vector<std::size_t>& channel_axes,
                                  const TensorScheme& scheme) {
  const ov::Shape& shape = weights.get_shape();
  const QuantizedWeights quantized =
      quantize_weights(weights.cast_vector<float>(), Shape(shape.begin(), shape.end()), channel_axes, scheme);
  const auto values = std::make_shared<op::Constant>(ov::element::i8, shape, quantized.values.data());
  const auto scale_shape = ov::Shape(quantized.scale_shape.begin(), quantized.scale_shape.end());
  const auto scales = std::make_shared<op::Constant>(ov::element::f32, scale_shape, quantized.scales.data());
  const auto convert = std::make_shared<op::Convert>(values, ov::element::f32);
  const auto multiply = std::make_shared<op::Multiply>(convert, scales);
  const std::string& name = weights.get_friendly_name();
  values->set_friendly_name(name);
  scales->set_friendly_name(name + "/scale");
  convert->set_friendly_name(name + "/convert");
  multiply->set_friendly_name(name + "/dequantized");
  return multiply;
}

ov::Output<ov::Node> fake_quantize(const ov::Output<ov::Node>& tensor, const Range& levels, const std::string& name) {
  const auto low = op::Constant::create(ov::element::f32, {}, {levels.low});
  const auto high = op::Constant::create(ov::element::f32, {}, {levels.high});
  low->set_friendly_name(name + "/low");
  high->set_friendly_name(name + "/high");
  const auto node = std::make_shared<op::FakeQuantize>(tensor, low, high, low, high, 256);
  node->set_friendly_name(name);
  return node;
}

// Quantizers of one graph: a tensor that several ops read with the same levels is quantized once.
class ActivationQuantizers {
 public:
  ov::Output<ov::Node> get(const ov::Output<ov::Node>& tensor, const std::string& tensor_name, const Range& levels) {
    auto& of_tensor = made_[tensor_name];
    for (const auto& [known, output] : of_tensor)
      if (known == levels) return output;
    const std::string suffix = of_tensor.empty() ? "" : fmt::format("_{}", of_tensor.size());
    of_tensor.emplace_back(levels, fake_quantize(tensor, levels, tensor_name + "/quantize" + suffix));
    return of_tensor.back().second;
  }

 private:
  std::map<std::string, std::vector<std::pair<Range, ov::Output<ov::Node>>>> made_;
};

void check_names(const Plan& plan, const std::vector<QuantizableOp>& ops) {
  std::map<std::string, bool> known;
  for (const QuantizableOp& quantizable : ops) known[quantizable.name] = true;
  for (const auto& [name, of_op] : plan.ops)
    if (of_op.precision == Precision::Int8 && !known.contains(name))
      throw ModelError(
          "quantize",
          fmt::format(
              "the plan names op '{}', which this model does not have or cannot quantize; is it another model's plan?",
              name));
}

}  // namespace

Model quantize(const Model& model, const Plan& plan, const Statistics& statistics) {
  const std::vector<QuantizableOp> ops = quantizable_ops(model);
  check_names(plan, ops);
  Model result = model.clone();
  std::map<std::string, std::shared_ptr<ov::Node>> nodes;
  for (const auto& node : result.graph->get_ordered_ops())
    if (ov::is_type<op::Constant>(node) == false) nodes.emplace(op_name(*node) + "\n" + node->get_type_name(), node);

  ActivationQuantizers quantizers;
  for (const QuantizableOp& quantizable : ops) {
    const auto found = plan.ops.find(quantizable.name);
    if (found == plan.ops.end() || found->second.precision != Precision::Int8) continue;
    const OpPlan& of_op = found->second;
    const auto observed = statistics.find(quantizable.activation);
    if (observed == statistics.end())
      throw DataError("quantize", fmt::format("op '{}': no statistics of its input '{}'; calibrate first",
                                              quantizable.name, quantizable.activation));
    const Range range =
        find_range(observed->second, of_op.activation.algorithm, {.symmetry = of_op.activation.symmetry});
    const Range levels = activation_levels(range, of_op.activation.symmetry);
    const auto& node = nodes.at(quantizable.name + "\n" + quantizable.type);
    const auto weights = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(1));
    node->input(0).replace_source_output(quantizers.get(node->input_value(0), quantizable.activation, levels));
    node->input(1).replace_source_output(int8_weights(*weights, quantizable.weight_axes, of_op.weight));
  }
  result.graph->validate_nodes_and_infer_types();
  return result;
}

}  // namespace lpot
