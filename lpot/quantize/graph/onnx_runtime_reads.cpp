#include "lpot/quantize/graph/onnx_runtime_reads.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>

#include "lpot/calibrate/observe.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/bias.h"
#include "lpot/quantize/graph/integer_reads.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;
using Input = ov::Input<ov::Node>;

bool is_onnx_convolution(const ov::Node& node) {
  const std::string_view type = node.get_type_name();
  return type == "Convolution" || type == "GroupConvolution";
}

bool is_constant_tensor(const Output& tensor) { return ov::is_type<op::Constant>(tensor.get_node()); }

// Global average pooling. ONNX Runtime has no int8 kernel for other means.
bool is_global_pool(const ov::Node& node) {
  if (!ov::is_type<op::ReduceMean>(&node)) return false;
  const auto axes = ov::as_type<const op::Constant>(node.get_input_node_ptr(1));
  const ov::Rank rank = node.get_input_partial_shape(0).rank();
  return axes && rank.is_static() &&
         static_cast<std::int64_t>(ov::shape_size(axes->get_shape())) == rank.get_length() - 2;
}

// Ops without weights that ONNX Runtime computes on integers and that change values. It finds the kernel if all inputs
// and the output are integers.
bool has_integer_kernel(const ov::Node& node) {
  static const std::set<std::string_view> kTypes{"Add", "Multiply", "Sigmoid", "AvgPool", "Concat", "PRelu"};
  return kTypes.contains(node.get_type_name()) || is_global_pool(node);
}

bool is_split(const ov::Node& node) {
  const std::string_view type = node.get_type_name();
  return type == "Split" || type == "VariadicSplit";
}

// Its integers are those of its input.
bool copies_integers(const ov::Node& node) {
  return !ov::is_type<op::Concat>(&node) && (is_split(node) || preserves_values(node, {}));
}

// The inputs with data. An op with a single tensor, such as pooling, may have further inputs with axes or sizes.
std::vector<Input> data_inputs(ov::Node& node) {
  const std::string_view type = node.get_type_name();
  if (type == "Add" || type == "Multiply" || type == "Concat") return node.inputs();
  return {node.input(0)};
}

// Without those that only need the shape. Instead of copies (Identity), which ONNX Runtime removes, their readers.
std::vector<Input> value_readers(const Output& tensor) {
  std::vector<Input> readers;
  for (const Input& reader : tensor.get_target_inputs()) {
    const std::string_view type = reader.get_node()->get_type_name();
    if (type == "Identity") {
      for (const Input& further : value_readers(reader.get_node()->output(0))) readers.push_back(further);
    } else if (type != "ShapeOf") {
      readers.push_back(reader);
    }
  }
  return readers;
}

const ov::Node* only_reader(const Output& tensor) {
  const auto readers = value_readers(tensor);
  return readers.size() == 1 ? readers.front().get_node() : nullptr;
}

// The tensor after an activation function that is part of the kernel before it. The range of a quantizer after Relu or
// Clip starts at zero, so the kernel's rounding replaces the function.
Output after_activation(const Output& tensor) {
  const ov::Node* next = only_reader(tensor);
  if (!next) return tensor;
  const auto clamp = ov::as_type<const op::Clamp>(next);
  const bool is_part = ov::is_type<op::Relu>(next) || (clamp && clamp->get_min() == 0);
  return is_part ? const_cast<ov::Node*>(next)->output(0) : tensor;
}

// The tensor that the kernel of a convolution, or of an op without weights, writes.
Output written_tensor(const ov::Node& node) {
  const auto bias = is_onnx_convolution(node) ? find_bias(node) : std::nullopt;
  return after_activation(bias ? bias->node->output(0) : const_cast<ov::Node&>(node).output(0));
}

bool is_float(const Output& tensor) { return tensor.get_element_type() == ov::element::f32; }

std::optional<Range> levels_of_constant(const Output& tensor) {
  const std::vector<float> values = ov::as_type<const op::Constant>(tensor.get_node())->cast_vector<float>();
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (!std::isfinite(*low) || !std::isfinite(*high)) return std::nullopt;
  const Range range{std::min(0.0f, *low), std::max(0.0f, *high)};
  return activation_levels(range, Symmetry::Asymmetric);
}

class OnnxRuntimeReads {
 public:
  OnnxRuntimeReads(const Model& model, const Edits& edits, const Statistics& statistics)
      : model_(model), statistics_(statistics), index_(*model.graph, "quantize") {
    for (const OpEdit& edit : edits.ops) {
      if (edit.activation.empty()) continue;
      const ov::Node* kernel = index_.find(edit.op, edit.type).get();
      if (is_onnx_convolution(*kernel)) convolutions_.push_back(kernel);
      const auto levels = edit.written_divisors().empty() ? std::optional(edit.levels) : std::nullopt;
      levels_.emplace(Reader(kernel, 0), levels);
    }
    for (const ProductEdit& edit : edits.products)
      for (const std::size_t side : {0, 1})
        levels_.emplace(Reader(index_.find(edit.op, "MatMul").get(), side), edit.levels[side]);
    for (const InputEdit& edit : edits.inputs)
      levels_.emplace(Reader(index_.find(edit.op, edit.type).get(), edit.input), edit.levels);
  }

  std::vector<InputEdit> find() {
    const std::set<const ov::Node*> convolutions(convolutions_.begin(), convolutions_.end());
    for (const auto& node : model_.graph->get_ordered_ops()) {
      if (convolutions.contains(node.get())) {
        read_as_integers(written_tensor(*node), std::nullopt);
      } else if (copies_integers(*node) && levels_at(node->input(0))) {
        for (const Output& output : node->outputs()) read_as_integers(output, levels_at(node->input(0)));
      } else if (has_integer_kernel(*node) && is_float(node->output(0)) && reads_integers(*node)) {
        read_as_integers(written_tensor(*node), levels_of_result(*node));
      }
    }
    return std::move(found_);
  }

  std::size_t count_float_outputs() const {
    return static_cast<std::size_t>(std::count_if(convolutions_.begin(), convolutions_.end(), [&](const auto* node) {
      const auto readers = value_readers(written_tensor(*node));
      return std::any_of(readers.begin(), readers.end(), [&](const Input& reader) { return !is_read(reader); });
    }));
  }

 private:
  using Reader = std::pair<const ov::Node*, std::size_t>;  // an op and the index of its input

  bool is_read(const Input& input) const { return levels_.contains(Reader(input.get_node(), input.get_index())); }

  // The levels of the quantizer at this input. Nothing without a quantizer, and if the input is divided before it.
  std::optional<Range> levels_at(const Input& input) const {
    const auto found = levels_.find(Reader(input.get_node(), input.get_index()));
    return found == levels_.end() ? std::nullopt : found->second;
  }

  // Whether every input is an integer, with a quantizer for constants.
  bool reads_integers(ov::Node& node) {
    std::vector<Input> constants;
    for (const Input& input : data_inputs(node)) {
      if (is_constant_tensor(input.get_source_output()))
        constants.push_back(input);
      else if (!levels_at(input))
        return false;
    }
    if (constants.size() == node.get_input_size()) return false;
    for (const Input& constant : constants) {
      const auto levels =
          is_float(constant.get_source_output()) ? levels_of_constant(constant.get_source_output()) : std::nullopt;
      if (!levels) return false;
      add(constant, *levels);
    }
    return true;
  }

  // Known without statistics: those of Sigmoid.
  static std::optional<Range> levels_of_result(const ov::Node& node) {
    if (ov::is_type<op::Sigmoid>(&node)) return activation_levels({0, 1}, Symmetry::Asymmetric);
    return std::nullopt;
  }

  // OpenVINO computes wrong means if the padding, which is zero, is not the integer zero.
  static bool may_read(const ov::Node& node, const Range& levels) { return !pads_average(node) || levels.low == 0; }

  // Every reader gets a quantizer: with the levels of those that have one, else `levels`, else with the observed range.
  void read_as_integers(const Output& tensor, std::optional<Range> levels) {
    if (!is_float(tensor)) return;
    const auto readers = value_readers(tensor);
    const auto can_read = [](const Input& reader) { return !ov::is_type<op::Result>(reader.get_node()); };
    if (!std::all_of(readers.begin(), readers.end(), can_read)) return;
    for (const Input& reader : readers)
      if (const auto known = levels_at(reader)) levels = known;
    if (!levels) levels = levels_of(tensor_name(tensor), statistics_);
    if (!levels) return;
    std::map<std::pair<std::string, std::size_t>, Input> in_order;  // so that equal models give equal edits
    for (const Input& reader : readers)
      if (!is_read(reader) && may_read(*reader.get_node(), *levels))
        in_order.emplace(std::pair(reader.get_node()->get_friendly_name(), reader.get_index()), reader);
    for (const auto& [name, reader] : in_order) add(reader, *levels);
  }

  void add(const Input& reader, const Range& levels) {
    const ov::Node& node = *reader.get_node();
    if (!levels_.emplace(Reader(&node, reader.get_index()), levels).second) return;
    found_.push_back({op_name(node), node.get_type_name(), reader.get_index(), levels});
  }

  const Model& model_;
  const Statistics& statistics_;
  OpIndex index_;
  std::vector<const ov::Node*> convolutions_;      // that run in int8
  std::map<Reader, std::optional<Range>> levels_;  // of inputs with a quantizer; nothing: divided before it
  std::vector<InputEdit> found_;
};

}  // namespace

std::set<std::string> tensors_of_onnx_runtime(const Model& model) {
  std::set<std::string> tensors;
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (node->get_output_size() == 0 || !is_float(node->output(0))) continue;
    if (is_onnx_convolution(*node) || (has_integer_kernel(*node) && !is_constant_tensor(node->input_value(0))))
      tensors.insert(tensor_name(written_tensor(*node)));
  }
  return tensors;
}

std::vector<InputEdit> onnx_runtime_reads(const Model& model, const Edits& edits, const Statistics& statistics) {
  return OnnxRuntimeReads(model, edits, statistics).find();
}

std::size_t count_float_outputs(const Model& model, const Edits& edits) {
  return OnnxRuntimeReads(model, edits, {}).count_float_outputs();
}

}  // namespace lpot
