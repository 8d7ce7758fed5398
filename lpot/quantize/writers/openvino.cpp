#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "lpot/quantize/graph/bias.h"
#include "lpot/quantize/graph/quantizer_places.h"
#include "lpot/quantize/writers/convolution_variant.h"
#include "lpot/quantize/writers/int8_nodes.h"
#include "lpot/quantize/writers/keep_in_f32.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/quantize/writers/sequence.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;
using Input = ov::Input<ov::Node>;

// The weights of a product in the layout of a 1x1 convolution: [N,K,1].
Output as_convolution_weights(const op::Constant& constant, const OpEdit& edit) {
  const ov::Shape& shape = constant.get_shape();
  const bool outputs_first = edit.weight_axes.front() == 0;
  const std::size_t outputs = shape[outputs_first ? 0 : 1], inputs = shape[outputs_first ? 1 : 0];
  std::vector<std::int8_t> transposed = edit.weights.values;
  if (!outputs_first)
    for (std::size_t k = 0; k < inputs; ++k)
      for (std::size_t n = 0; n < outputs; ++n) transposed[n * inputs + k] = edit.weights.values[k * outputs + n];
  return dequantized({outputs, inputs, 1}, transposed, {edit.weights.scales.size(), 1, 1}, edit.weights.scales,
                     constant.get_friendly_name());
}

// One value per channel, in a shape that broadcasts along `axis` of a tensor of this rank. The rank may be dynamic if
// the axis is negative.
std::shared_ptr<op::Constant> per_channel(const std::vector<float>& values, int axis, const ov::Rank& rank) {
  ov::Shape shape(static_cast<std::size_t>(rank.is_static() ? rank.get_length() : -axis), 1);
  if (!shape.empty())
    shape[axis < 0 ? shape.size() - static_cast<std::size_t>(-axis) : static_cast<std::size_t>(axis)] = values.size();
  return op::Constant::create(ov::element::f32, shape, values);
}

// A separate multiplication before the quantizer, which the runtime fuses with it. A quantizer with per-channel ranges
// does not compile for dynamic shapes.
Output divided(const Output& tensor, const OpEdit& edit, const std::string& name) {
  std::vector<float> factors;
  for (const float divisor : edit.written_divisors()) factors.push_back(1.0f / divisor);
  const auto constant = per_channel(factors, edit.input_channel_axis, tensor.get_partial_shape().rank());
  const auto node = std::make_shared<op::Multiply>(tensor, constant);
  constant->set_friendly_name(name + "/factors");
  node->set_friendly_name(name + "/divided");
  return node;
}

// The quantizers of one graph. Ops that quantize a tensor the same way share one quantizer.
class Quantizers {
 public:
  // `divided_for`: the op whose divisors the tensor is divided by before; nullptr: none.
  Output get(const Output& tensor, const Range& levels, const OpEdit* divided_for = nullptr) {
    const std::vector<float> divisors = divided_for ? divided_for->written_divisors() : std::vector<float>();
    auto& of_tensor = entries_[tensor];
    for (const Entry& entry : of_tensor)
      if (entry.levels == levels && entry.divisors == divisors) return entry.output;
    const std::string suffix = of_tensor.empty() ? "" : fmt::format("_{}", of_tensor.size());
    const std::string name = tensor_name(*tensor.get_node(), tensor.get_index()) + "/quantize" + suffix;
    const Output source = divided_for ? divided(tensor, *divided_for, name) : tensor;
    of_tensor.push_back({levels, divisors, fake_quantize(source, levels, name)});
    return of_tensor.back().output;
  }

 private:
  struct Entry {
    Range levels;
    std::vector<float> divisors;
    Output output;
  };
  std::map<Output, std::vector<Entry>> entries_;
};

// The bias of the written op: that of the source graph plus that of the edit, rounded like in other files.
std::vector<float> written_bias(const ov::Node& kernel, const std::optional<BiasAddition>& existing,
                                const OpEdit& edit) {
  std::vector<float> bias = edit.bias;
  if (existing) {
    const std::vector<float> values = existing->values(output_channels(kernel));
    bias.resize(values.size(), 0.0f);
    for (std::size_t i = 0; i < values.size(); ++i) bias[i] += values[i];
  }
  return rounded_bias(complete_bias(std::move(bias), kernel, edit), edit);
}

void write_bias(const std::shared_ptr<ov::Node>& node, const OpEdit& edit) {
  if (edit.activation.empty() && edit.bias.empty()) return;
  const auto existing = find_bias(*node);
  const std::vector<float> bias = written_bias(*node, existing, edit);
  if (bias.empty()) return;
  const ov::Rank rank = node->get_output_partial_shape(0).rank();
  const bool has_shape = existing && ov::shape_size(existing->constant->get_shape()) == bias.size();
  const auto constant = has_shape ? op::Constant::create(ov::element::f32, existing->constant->get_shape(), bias)
                                  : per_channel(bias, edit.output_channel_axis, rank);
  if (existing) {
    constant->set_friendly_name(existing->constant->get_friendly_name());
    existing->node->input(existing->side).replace_source_output(constant);
    return;
  }
  const auto addition = std::make_shared<op::Add>(node, constant);
  constant->set_friendly_name(edit.op + "/correction");
  addition->set_friendly_name(edit.op + "/corrected");
  replace_output(node->output(0), addition);
}

void rewrite_as_convolution(const std::shared_ptr<ov::Node>& node, const op::Constant& weights, const OpEdit& edit) {
  const auto existing = find_bias(*node);
  const Output result = write_convolution_variant({.input = node->input_value(0),
                                                   .weights = as_convolution_weights(weights, edit),
                                                   .bias = written_bias(*node, existing, edit),
                                                   .name = node->get_friendly_name(),
                                                   .variant = edit.variant});
  replace_output((existing ? existing->node : node)->output(0), result);
}

class Writer {
 public:
  explicit Writer(Model model, std::string f32_sequence = "")
      : model_(std::move(model)), ops_(*model_.graph, "quantize"), f32_sequence_(std::move(f32_sequence)) {}

  Model write(const Edits& edits) {
    for (const ConstantEdit& edit : edits.constants) replace_constant(edit);
    quantize_activations(edits);
    write_group_size(edits);
    for (const ProductEdit& edit : edits.products) quantize_product(edit, edits);
    for (const SequenceEdit& edit : edits.sequences)
      (edit.op == f32_sequence_ ? write_sequence_in_f32 : write_sequence)(ops_.find(edit.op, edit.type), edit);
    for (const OpEdit& edit : edits.ops) quantize_weights_of(edit);
    for (const EmbeddingEdit& edit : edits.tables) {
      const auto& node = ops_.find(edit.op, "Gather");
      const auto table = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(0));
      node->input(0).replace_source_output(dequantized(*table, *edit.rows));
    }
    if (edits.keeps_all_in_f32) keep_all_in_f32(*model_.graph);
    for (const OpInfo& op : edits.f32_ops) keep_in_f32(ops_.find(op.name, op.type));
    join_convolution_variants(*model_.graph);
    model_.graph->validate_nodes_and_infer_types();
    return with_precision(std::move(model_), edits.inference_precision);
  }

 private:
  void quantize_activations(const Edits& edits) {
    for (const QuantizerPlace& place : quantizer_places(ops_, edits))
      for (Input input : place.inputs)
        input.replace_source_output(quantizers_.get(input.get_source_output(), place.levels, place.divided));
  }

  // The plug-in reads here how to quantize the activations of ops with int8 weights only.
  void write_group_size(const Edits& edits) {
    const bool has_weights_only =
        std::any_of(edits.ops.begin(), edits.ops.end(), [](const OpEdit& edit) { return edit.activation.empty(); });
    if (has_weights_only)
      model_.graph->set_rt_info(std::to_string(edits.run_time_groups), "runtime_options",
                                std::string(ov::hint::dynamic_quantization_group_size.name()));
  }

  void quantize_product(const ProductEdit& edit, const Edits& edits) {
    const auto& node = ops_.find(edit.op, "MatMul");
    for (const std::size_t side : {0, 1})
      for (Input input : move_up({node->input(side)}, move_options(edits)))
        input.replace_source_output(quantizers_.get(input.get_source_output(), edit.levels[side]));
  }

  void quantize_weights_of(const OpEdit& edit) {
    const auto& node = ops_.find(edit.op, edit.type);
    const auto weights = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(1));
    const bool is_product = ov::is_type<op::MatMul>(node);
    if (edit.variant != KernelVariant::Plain && is_product &&
        has_convolution_variant(node->get_input_partial_shape(0).rank())) {
      rewrite_as_convolution(node, *weights, edit);
      return;
    }
    const bool has_kernel = !edit.activation.empty() || is_product;
    node->input(1).replace_source_output(
        dequantized(*weights, edit.weights, has_kernel ? Dequantized::ByKernel : Dequantized::WhenCompiled));
    write_bias(node, edit);
  }

  void replace_constant(const ConstantEdit& edit) {
    const auto& constant = ops_.find(edit.constant, "Constant");
    const auto changed = op::Constant::create(ov::element::f32, constant->get_output_shape(0), edit.values);
    changed->set_friendly_name(edit.constant);
    replace_output(constant->output(0), changed);
  }

  Model model_;
  OpIndex ops_;
  Quantizers quantizers_;
  std::string f32_sequence_;  // see apply_with_f32_sequence; "": none
};

}  // namespace

Model apply(const Model& model, const Edits& edits) { return Writer(model.clone()).write(edits); }

Model apply_with_f32_sequence(const Model& model, const Edits& edits, const std::string& sequence) {
  return Writer(model.clone(), sequence).write(edits);
}

}  // namespace lpot
