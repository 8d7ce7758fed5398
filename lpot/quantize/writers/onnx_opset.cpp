#include "lpot/quantize/writers/onnx_opset.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/quantize/writers/onnx_values.h"

namespace lpot {
namespace {

constexpr std::int64_t kOldest = 7, kTarget = 13;
constexpr std::int64_t kIrVersion = 7;  // the IR version that introduced operator set 13

using Ranks = std::map<std::string, std::size_t>;

[[noreturn]] void refuse(const onnx::NodeProto& node, const std::string& why) {
  throw ModelError("export_onnx", fmt::format("node '{}' ({}): {}. Convert the model to operator set 13 or later.",
                                              node.name().empty() ? node.output(0) : node.name(), node.op_type(), why));
}

// The tensors that a node reads or that are outputs of the graph, including the nodes of subgraphs.
std::set<std::string> read_tensors(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto& output : graph.output()) names.insert(output.name());
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string& input : node.input())
      if (!input.empty()) names.insert(input);
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) names.merge(read_tensors(attribute.g()));
      for (const onnx::GraphProto& inner : attribute.graphs()) names.merge(read_tensors(inner));
    }
  }
  return names;
}

// Upgrades one graph and its subgraphs to the target operator set.
class OpsetUpgrader {
 public:
  OpsetUpgrader(onnx::GraphProto& graph, std::int64_t from, const Ranks& ranks, std::set<std::string>& names)
      : graph_(graph), from_(from), ranks_(ranks), names_(names), read_(read_tensors(graph)) {
    for (const onnx::TensorProto& tensor : graph.initializer()) names_.insert(tensor.name());
    for (const onnx::ValueInfoProto& input : graph.input()) names_.insert(input.name());
    for (const onnx::NodeProto& node : graph.node()) names_.insert(node.output().begin(), node.output().end());
  }

  void run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> old;
    old.Swap(graph_.mutable_node());
    for (onnx::NodeProto& node : old) {
      upgrade_inner_graphs(node);
      if (node.domain().empty() || node.domain() == "ai.onnx") upgrade(node);
      graph_.add_node()->Swap(&node);
      for (onnx::NodeProto& follower : followers_) graph_.add_node()->Swap(&follower);
      followers_.clear();
    }
  }

 private:
  void upgrade_inner_graphs(onnx::NodeProto& node) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) OpsetUpgrader(*attribute.mutable_g(), from_, ranks_, names_).run();
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) OpsetUpgrader(graph, from_, ranks_, names_).run();
    }
  }

  void upgrade(onnx::NodeProto& node) {
    const std::string type = node.op_type();  // a copy, because it may change below
    if (type == "Scan" && from_ < 9) refuse(node, "Scan with a batch dimension (operator set 8) is not supported");
    if (type == "BatchNormalization") upgrade_batch_norm(node);
    if (type == "Dropout") upgrade_dropout(node);
    if ((type == "Upsample" && from_ < 10) || (type == "Resize" && from_ < 11)) upgrade_resize(node);
    if (type == "Slice" && from_ < 10) upgrade_slice(node);
    if (type == "TopK" && from_ < 10) move_ints(node, "k", 1);
    if (type == "Clip" && from_ < 11) upgrade_clip(node);
    if (type == "Pad" && from_ < 11) upgrade_pad(node);
    if (type == "Scatter") node.set_op_type("ScatterElements");
    if (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax") upgrade_softmax(node);
    if (type == "Squeeze" || type == "Unsqueeze" || type == "ReduceSum") move_ints(node, "axes", 1);
    if (type == "Split") move_ints(node, "split", 1);
  }

  void upgrade_batch_norm(onnx::NodeProto& node) const {
    if (from_ < 9 && int_attribute(node, "spatial", 1) == 0) refuse(node, "spatial = 0 is not supported");
    remove_attribute(node, "spatial");
  }

  // Before operator set 10 the mask has the type of the data, since then it is boolean.
  void upgrade_dropout(onnx::NodeProto& node) const {
    if (from_ < 10 && node.output_size() > 1) {
      if (read_.contains(node.output(1))) refuse(node, "an op reads the mask, whose type changes with operator set 10");
      node.mutable_output()->RemoveLast();
    }
    remove_attribute(node, "ratio");  // has no effect in inference
  }

  void upgrade_resize(onnx::NodeProto& node) {
    std::string scales;
    if (const onnx::AttributeProto* attribute = find_attribute(node, "scales")) {
      const std::vector<float> values(attribute->floats().begin(), attribute->floats().end());
      scales = constant(node, "scales", {static_cast<std::int64_t>(values.size())}, values);
      remove_attribute(node, "scales");
    } else {
      if (node.input_size() < 2) refuse(node, "found no scales; expected an attribute or an input");
      scales = node.input(1);
    }
    const std::string data = node.input(0);
    node.clear_input();
    for (const std::string& input : {data, std::string(), scales}) node.add_input(input);
    node.set_op_type("Resize");
    set_attribute(node, "coordinate_transformation_mode", std::string("asymmetric"));
    set_attribute(node, "nearest_mode", std::string("floor"));
  }

  void upgrade_slice(onnx::NodeProto& node) {
    move_ints(node, "starts", 1);
    move_ints(node, "ends", 2);
    move_ints(node, "axes", 3);
  }

  void upgrade_clip(onnx::NodeProto& node) {
    move_float(node, "min", 1, std::numeric_limits<float>::lowest());
    move_float(node, "max", 2, std::numeric_limits<float>::max());
  }

  void upgrade_pad(onnx::NodeProto& node) {
    move_ints(node, "pads", 1);
    move_float(node, "value", 2, 0.0f);
  }

  // Before operator set 13 these ops treat all dimensions from `axis` on as one. Since 13 they use only `axis`.
  void upgrade_softmax(onnx::NodeProto& node) {
    const std::int64_t axis = int_attribute(node, "axis", 1);
    const auto rank = ranks_.find(node.input(0));
    set_attribute(node, "axis", std::int64_t{-1});
    if (axis == -1 || (rank != ranks_.end() && axis == static_cast<std::int64_t>(rank->second) - 1)) return;

    const std::string name = node.name().empty() ? node.output(0) : node.name();
    const std::string data = node.input(0), output = node.output(0);
    const std::string shape = unique_name(name + "/shape"), flat = unique_name(name + "/flat"),
                      result = unique_name(name + "/result");
    onnx::NodeProto last = build_node("Reshape", name + "/reshape", {result, shape}, output);
    onnx::NodeProto kernel = node;
    kernel.set_input(0, flat);
    kernel.set_output(0, result);
    onnx::NodeProto flatten = build_node("Flatten", name + "/flatten", {data}, flat);
    set_attribute(flatten, "axis", axis);
    node = build_node("Shape", name + "/shape", {data}, shape);
    followers_ = {flatten, kernel, last};
  }

  // Replaces an attribute by the input at this index.
  void move_ints(onnx::NodeProto& node, const char* attribute, int place) {
    const onnx::AttributeProto* found = find_attribute(node, attribute);
    if (!found) return;
    const Dims values =
        found->type() == onnx::AttributeProto_AttributeType_INT ? Dims{found->i()} : ints_attribute(node, attribute);
    set_input(node, place, constant(node, attribute, {static_cast<std::int64_t>(values.size())}, values));
    remove_attribute(node, attribute);
  }

  void move_float(onnx::NodeProto& node, const char* attribute, int place, float default_value) {
    const float value = float_attribute(node, attribute, default_value);
    remove_attribute(node, attribute);
    if (value != default_value) set_input(node, place, constant(node, attribute, {}, std::vector<float>{value}));
  }

  static void set_input(onnx::NodeProto& node, int place, const std::string& tensor) {
    while (node.input_size() <= place) node.add_input("");
    node.set_input(place, tensor);
  }

  template <typename T>
  std::string constant(const onnx::NodeProto& node, const std::string& suffix, const Dims& dims,
                       const std::vector<T>& values) {
    std::string name = unique_name((node.name().empty() ? node.output(0) : node.name()) + "/" + suffix);
    *graph_.add_initializer() = build_tensor(name, dims, values);
    return name;
  }

  std::string unique_name(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  onnx::GraphProto& graph_;
  std::int64_t from_;
  const Ranks& ranks_;
  std::set<std::string>& names_;            // of all tensors, subgraphs included
  std::set<std::string> read_;              // tensors that are outputs or inputs of nodes, subgraphs included
  std::vector<onnx::NodeProto> followers_;  // nodes to insert after the rewritten one
};

// Old files list their constants among the inputs. Newer readers would expect the user to provide them.
void separate_constants_from_inputs(onnx::ModelProto& model) {
  std::set<std::string> constants;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) constants.insert(tensor.name());
  auto& inputs = *model.mutable_graph()->mutable_input();
  inputs.erase(
      std::remove_if(inputs.begin(), inputs.end(), [&](const auto& input) { return constants.contains(input.name()); }),
      inputs.end());
}

}  // namespace

void upgrade_opset(onnx::ModelProto& model, const Ranks& ranks) {
  if (model.ir_version() < 4) separate_constants_from_inputs(model);
  model.set_ir_version(std::max<std::int64_t>(model.ir_version(), kIrVersion));
  for (onnx::OperatorSetIdProto& set : *model.mutable_opset_import()) {
    if (!(set.domain().empty() || set.domain() == "ai.onnx") || set.version() >= kTarget) continue;
    if (set.version() < kOldest)
      throw ModelError("export_onnx", fmt::format("found ONNX operator set {}; expected {} or later. Convert the model "
                                                  "to operator set 13 or later.",
                                                  set.version(), kOldest));
    if (model.functions_size() > 0)
      throw ModelError("export_onnx",
                       fmt::format("the model has functions and operator set {}; functions are supported "
                                   "from operator set 13. Convert the model to 13 or later.",
                                   set.version()));
    std::set<std::string> names;
    OpsetUpgrader(*model.mutable_graph(), set.version(), ranks, names).run();
    set.set_version(kTarget);
  }
}

}  // namespace lpot
