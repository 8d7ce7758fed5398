#include "lpot/quantize/writers/onnx_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/core/error.h"
#include "lpot/quantize/graph/bias.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

std::string label(const onnx::NodeProto& node) { return node.name().empty() ? node.output(0) : node.name(); }

Division division(const OpEdit& edit, const ov::Node& kernel) {
  if (edit.written_divisors().empty()) return {};
  const int axis = edit.input_channel_axis;
  if (axis < 0) return {edit.written_divisors(), static_cast<std::size_t>(-axis) - 1};
  const auto rank = static_cast<int>(kernel.get_input_partial_shape(0).rank().get_length());
  return {edit.written_divisors(), static_cast<std::size_t>(rank - 1 - axis)};
}

// The name of the new bias: the name of the old one if the file has it.
std::string bias_name(const OnnxGraph& graph, const onnx::NodeProto& kernel, const onnx::NodeProto& last) {
  if (kernel.op_type() != "MatMul" && kernel.input_size() > 2 && !kernel.input(2).empty()) return kernel.input(2);
  if (last.op_type() == "Add")
    for (const std::string& input : last.input())
      if (graph.constant(input)) return input;
  return label(kernel) + "/bias";
}

bool is_bias_of(const ov::Node& kernel, const ov::Node& addition) {
  const auto bias = find_bias(kernel);
  return bias && bias->node.get() == &addition;
}

}  // namespace

OnnxWriter::OnnxWriter(const Model& source, const Edits& edits, onnx::GraphProto& graph)
    : edits_(edits), graph_(graph), ops_(*source.graph, "export_onnx") {
  for (const ConstantEdit& edit : edits.constants) edited_constants_[edit.constant] = &edit.values;
}

void OnnxWriter::run() {
  for (const Task& task : find_tasks()) rewrite(task);
  for (const ProductEdit& product : edits_.products) rewrite(product);
  for (const InputEdit& input : edits_.inputs) rewrite(input);
  for (const EmbeddingEdit& table : edits_.tables) rewrite(table);
  graph_.finish();
}

std::vector<OnnxWriter::Task> OnnxWriter::find_tasks() {
  std::vector<Task> tasks;
  for (const OpEdit& edit : edits_.ops) tasks.push_back({find_kernel(graph_, ops_.find(edit.op, edit.type)), &edit});
  for (const ConstantEdit& edit : edits_.constants) find_constants(tasks, edit);
  return tasks;
}

// Weights and biases are replaced together with their kernel, because the file may contain them in parts (batch norm).
// Other constants are replaced directly.
void OnnxWriter::find_constants(std::vector<Task>& tasks, const ConstantEdit& edit) {
  const auto constant = ops_.find(edit.constant, "Constant");
  bool is_plain = false;
  for (const auto& reader : constant->output(0).get_target_inputs()) {
    const auto node = reader.get_node()->shared_from_this();
    std::shared_ptr<ov::Node> kernel = node;
    if (ov::is_type<op::Add>(node)) kernel = node->get_input_node_shared_ptr(1 - reader.get_index());
    const bool is_part = is_kernel(*kernel) && (kernel == node ? reader.get_index() == 1 : is_bias_of(*kernel, *node));
    if (!is_part) {
      is_plain = true;
      continue;
    }
    const bool known =
        std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) { return task.kernel.op == kernel; });
    if (!known) tasks.push_back({find_kernel(graph_, kernel), nullptr});
  }
  if (is_plain) replace_constant(*constant, edit.values);
}

void OnnxWriter::replace_constant(const ov::Node& constant, const std::vector<float>& values) {
  onnx::TensorProto* tensor = graph_.constant(constant.get_friendly_name());
  for (const std::string& name : constant.output(0).get_names())
    if (!tensor) tensor = graph_.constant(name);
  const auto count = ov::shape_size(constant.get_shape());
  if (!tensor || tensor->data_type() != onnx::TensorProto_DataType_FLOAT || values.size() != count)
    throw ModelError("export_onnx", fmt::format("constant '{}': not found in the file as {} floats",
                                                constant.get_friendly_name(), values.size()));
  *tensor = build_tensor(tensor->name(), Dims(tensor->dims().begin(), tensor->dims().end()), values);
}

void OnnxWriter::rewrite(const Task& task) {
  const OnnxKernel& kernel = task.kernel;
  onnx::NodeProto node = *kernel.node;
  const onnx::NodeProto last = *graph_.producer(kernel.output);
  const std::string data = node.input(0), own_output = node.output(0), bias = bias_name(graph_, node, last);

  graph_.pin(data);
  node.set_input(0, new_activation(task));
  graph_.release(kernel.output);
  // Another node of the file still reads the original output, without the ops that were folded into the kernel.
  if (onnx::NodeProto* old = graph_.producer(own_output)) old->set_name(label(node) + "/fp32");
  node.set_input(1, new_weights(task, node.input(1)));
  add_kernel(task, std::move(node), last, bias);
  graph_.unpin(data);
}

std::string OnnxWriter::new_activation(const Task& task) {
  const std::string& data = task.kernel.node->input(0);
  return task.edit && !task.edit->activation.empty()
             ? qdq_.activation(data, task.edit->levels, division(*task.edit, *task.kernel.op))
             : data;
}

std::string OnnxWriter::new_weights(const Task& task, const std::string& name) {
  const FileLayout layout = file_layout(task.kernel);
  if (task.edit) return qdq_.weights(name, layout, task.edit->weights);
  const auto constant = ov::as_type_ptr<op::Constant>(task.kernel.op->get_input_node_shared_ptr(1));
  const auto edited = edited_constants_.find(constant->get_friendly_name());
  const auto values = edited == edited_constants_.end() ? constant->cast_vector<float>() : *edited->second;
  return graph_.add_constant(name, layout.dims, in_layout(values, layout));
}

std::vector<float> OnnxWriter::new_bias(const Task& task) const {
  std::vector<float> bias = task.kernel.bias;
  if (const auto edited = edited_constants_.find(task.kernel.bias_constant); edited != edited_constants_.end())
    bias = edited->second->size() == 1 ? std::vector<float>(bias.size(), edited->second->front()) : *edited->second;
  if (!task.edit || task.edit->bias.empty()) return bias;
  if (bias.empty()) return task.edit->bias;
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += task.edit->bias.at(i);
  return bias;
}

// Adds the kernel with its bias. It produces the tensor that the original nodes produced together.
void OnnxWriter::add_kernel(const Task& task, onnx::NodeProto node, const onnx::NodeProto& last,
                            const std::string& bias_name) {
  const std::string& output = task.kernel.output;
  std::vector<float> bias = new_bias(task);
  if (task.edit) bias = complete_bias(std::move(bias), *task.kernel.op, *task.edit);
  const auto integers = task.edit && !bias.empty() ? integer_bias(bias, *task.edit) : std::nullopt;
  if (integers) bias = integers->values();
  // Both are already folded into the weights and the bias.
  remove_attribute(node, "alpha");
  remove_attribute(node, "beta");
  while (node.input_size() > 2) node.mutable_input()->RemoveLast();
  if (!bias.empty() && node.op_type() == "MatMul") {
    const std::string product = graph_.unique_name(node.output(0) == output ? output + "/product" : node.output(0));
    const std::string name = last.op_type() == "Add" ? last.name() : label(node) + "/bias";
    const Dims dims{static_cast<std::int64_t>(bias.size())};
    graph_.add_node(build_node("Add", name, {product, graph_.add_constant(bias_name, dims, bias)}, output));
    node.set_output(0, product);
  } else {
    if (integers) node.add_input(qdq_.bias(bias_name, *integers));
    if (!bias.empty() && !integers)
      node.add_input(graph_.add_constant(bias_name, {static_cast<std::int64_t>(bias.size())}, bias));
    node.set_output(0, output);
  }
  graph_.add_node(std::move(node));
}

void OnnxWriter::rewrite(const ProductEdit& product) {
  onnx::NodeProto* node = graph_.producer(name_in_file(graph_, ops_.find(product.op, "MatMul")->output(0)));
  if (!node || node->op_type() != "MatMul")
    throw ModelError("export_onnx", fmt::format("op '{}': no matching MatMul node found in the file", product.op));
  for (const int side : {0, 1})
    graph_.replace_input(*node, side, qdq_.activation(node->input(side), product.levels[side], {}));
}

void OnnxWriter::rewrite(const InputEdit& edit) {
  const auto op = ops_.find(edit.op, edit.type);
  onnx::NodeProto* node = graph_.producer(name_in_file(graph_, op->output(0)));
  const int input = static_cast<int>(edit.input);
  if (op->get_type_info() == op::Multiply::get_type_info_static()) node = batch_norm_of(*op, edit.input, node);
  if (!node || input >= node->input_size()) return;            // part of another node
  if (edit.type == "Add" && node->op_type() != "Add") return;  // the same: it adds in fp32
  graph_.replace_input(*node, input, qdq_.activation(node->input(input), edit.levels, {}));
}

// OpenVINO divides a batch norm into a multiplication and an addition. In the file, the batch norm reads the tensor.
onnx::NodeProto* OnnxWriter::batch_norm_of(const ov::Node& multiply, std::size_t input, onnx::NodeProto* node) const {
  const std::string tensor = name_in_file(graph_, multiply.input_value(input));
  if (node && static_cast<int>(input) < node->input_size() && node->input(static_cast<int>(input)) == tensor)
    return node;
  for (onnx::NodeProto* reader : graph_.readers(tensor))
    if (reader->op_type() == "BatchNormalization") return reader;
  return nullptr;
}

// Gathers rows and scales and multiplies them. A DequantizeLinear before the Gather would dequantize the whole table at
// each inference.
void OnnxWriter::rewrite(const EmbeddingEdit& table) {
  const auto gather = ops_.find(table.op, "Gather");
  const std::string output = name_in_file(graph_, gather->output(0));
  const onnx::NodeProto* found = graph_.producer(output);
  if (!found || found->op_type() != "Gather" || int_attribute(*found, "axis", 0) != 0) {
    if (!table.has_row_scales()) return;  // a small table, so its size does not matter
    throw ModelError("export_onnx",
                     fmt::format("op '{}': no matching Gather node with axis 0 found in the file", table.op));
  }
  const onnx::NodeProto node = *found;
  const std::string name = label(node);
  const std::string &rows = node.input(0), &index = node.input(1);
  const ov::Shape& shape = gather->get_input_shape(0);
  const Dims dims(shape.begin(), shape.end());
  Dims scale_dims{static_cast<std::int64_t>(table.rows->scales.size())};
  if (table.has_row_scales()) scale_dims.push_back(1);

  graph_.pin(index);
  graph_.release(output);
  const auto lookup = [&](const std::string& constant, const std::string& suffix) {
    std::string tensor = graph_.unique_name(name + suffix);
    graph_.add_node(build_node("Gather", tensor, {constant, index}, tensor));
    return tensor;
  };
  const std::string integers = lookup(graph_.add_constant(rows + "/int8", dims, table.rows->values), "/int8");
  std::string scales = graph_.add_constant(rows + "/scale", scale_dims, table.rows->scales);
  if (table.has_row_scales()) scales = lookup(scales, "/scale");
  const std::string floats = graph_.unique_name(name + "/convert");
  onnx::NodeProto convert = build_node("Cast", floats, {integers}, floats);
  set_attribute(convert, "to", std::int64_t{onnx::TensorProto_DataType_FLOAT});
  graph_.add_node(std::move(convert));
  graph_.add_node(build_node("Mul", name, {floats, scales}, output));
  graph_.unpin(index);
}

}  // namespace lpot
