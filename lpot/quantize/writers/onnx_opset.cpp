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
constexpr std::int64_t kIrVersion = 7;  // that came with operator set 13

using Ranks = std::map<std::string, std::size_t>;

[[noreturn]] void refuse(const onnx::NodeProto& node, const std::string& why) {
  throw ModelError("export_onnx", fmt::format("node '{}' ({}): {}; convert the model to operator set 13 or later",
                                              node.name().empty() ? node.output(0) : node.name(), node.op_type(), why));
}

// One graph on its way from an operator set to the target.
class Raiser {
 public:
  Raiser(onnx::GraphProto& graph, std::int64_t from, const Ranks& ranks, std::set<std::string>& names)
      : graph_(graph), from_(from), ranks_(ranks), names_(names) {
    for (const onnx::TensorProto& tensor : graph.initializer()) names_.insert(tensor.name());
    for (const onnx::ValueInfoProto& input : graph.input()) names_.insert(input.name());
    for (const onnx::NodeProto& node : graph.node()) names_.insert(node.output().begin(), node.output().end());
  }

  void run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> old;
    old.Swap(graph_.mutable_node());
    for (onnx::NodeProto& node : old) {
      raise_inner_graphs(node);
      if (node.domain().empty() || node.domain() == "ai.onnx") raise(node);
      graph_.add_node()->Swap(&node);
      for (onnx::NodeProto& follower : behind_) graph_.add_node()->Swap(&follower);
      behind_.clear();
    }
  }

 private:
  void raise_inner_graphs(onnx::NodeProto& node) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) Raiser(*attribute.mutable_g(), from_, ranks_, names_).run();
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) Raiser(graph, from_, ranks_, names_).run();
    }
  }

  void raise(onnx::NodeProto& node) {
    const std::string type = node.op_type();  // a copy: it may change below
    if (type == "Scan" && from_ < 9) refuse(node, "its older form has a batch of its own");
    if (type == "BatchNormalization") raise_batch_norm(node);
    if (type == "Dropout") raise_dropout(node);
    if ((type == "Upsample" && from_ < 10) || (type == "Resize" && from_ < 11)) raise_resize(node);
    if (type == "Slice" && from_ < 10) raise_slice(node);
    if (type == "TopK" && from_ < 10) move_ints(node, "k", 1);
    if (type == "Clip" && from_ < 11) raise_clip(node);
    if (type == "Pad" && from_ < 11) raise_pad(node);
    if (type == "Scatter") node.set_op_type("ScatterElements");
    if (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax") raise_softmax(node);
    if (type == "Squeeze" || type == "Unsqueeze" || type == "ReduceSum") move_ints(node, "axes", 1);
    if (type == "Split") move_ints(node, "split", 1);
  }

  void raise_batch_norm(onnx::NodeProto& node) const {
    if (from_ < 9 && int_attribute(node, "spatial", 1) == 0) refuse(node, "spatial = 0 is gone");
    remove_attribute(node, "spatial");
  }

  void raise_dropout(onnx::NodeProto& node) const {
    if (from_ < 10 && node.output_size() > 1 && !node.output(1).empty()) refuse(node, "its mask became boolean");
    remove_attribute(node, "ratio");  // without an effect outside training
  }

  void raise_resize(onnx::NodeProto& node) {
    std::string scales;
    if (const onnx::AttributeProto* attribute = find_attribute(node, "scales")) {
      const std::vector<float> values(attribute->floats().begin(), attribute->floats().end());
      scales = constant(node, "scales", {static_cast<std::int64_t>(values.size())}, values);
      remove_attribute(node, "scales");
    } else {
      if (node.input_size() < 2) refuse(node, "it has no scales");
      scales = node.input(1);
    }
    const std::string data = node.input(0);
    node.clear_input();
    for (const std::string& input : {data, std::string(), scales}) node.add_input(input);
    node.set_op_type("Resize");
    set_attribute(node, "coordinate_transformation_mode", std::string("asymmetric"));
    set_attribute(node, "nearest_mode", std::string("floor"));
  }

  void raise_slice(onnx::NodeProto& node) {
    move_ints(node, "starts", 1);
    move_ints(node, "ends", 2);
    move_ints(node, "axes", 3);
  }

  void raise_clip(onnx::NodeProto& node) {
    move_float(node, "min", 1, std::numeric_limits<float>::lowest());
    move_float(node, "max", 2, std::numeric_limits<float>::max());
  }

  void raise_pad(onnx::NodeProto& node) {
    move_ints(node, "pads", 1);
    move_float(node, "value", 2, 0.0f);
  }

  // Until 12 everything from `axis` on was one dimension to these ops; since 13 it is `axis` alone.
  void raise_softmax(onnx::NodeProto& node) {
    const std::int64_t axis = int_attribute(node, "axis", 1);
    const auto rank = ranks_.find(node.input(0));
    set_attribute(node, "axis", std::int64_t{-1});
    if (axis == -1 || (rank != ranks_.end() && axis == static_cast<std::int64_t>(rank->second) - 1)) return;

    const std::string name = node.name().empty() ? node.output(0) : node.name();
    const std::string data = node.input(0), output = node.output(0);
    const std::string shape = free_name(name + "/shape"), flat = free_name(name + "/flat"),
                      result = free_name(name + "/result");
    onnx::NodeProto last = make_node("Reshape", name + "/reshape", {result, shape}, output);
    onnx::NodeProto kernel = node;
    kernel.set_input(0, flat);
    kernel.set_output(0, result);
    onnx::NodeProto flatten = make_node("Flatten", name + "/flatten", {data}, flat);
    set_attribute(flatten, "axis", axis);
    node = make_node("Shape", name + "/shape", {data}, shape);
    behind_ = {flatten, kernel, last};
  }

  // An attribute that became the input at this place.
  void move_ints(onnx::NodeProto& node, const char* attribute, int place) {
    const onnx::AttributeProto* found = find_attribute(node, attribute);
    if (!found) return;
    const Dims values =
        found->type() == onnx::AttributeProto_AttributeType_INT ? Dims{found->i()} : ints_attribute(node, attribute);
    set_input(node, place, constant(node, attribute, {static_cast<std::int64_t>(values.size())}, values));
    remove_attribute(node, attribute);
  }

  void move_float(onnx::NodeProto& node, const char* attribute, int place, float otherwise) {
    const float value = float_attribute(node, attribute, otherwise);
    remove_attribute(node, attribute);
    if (value != otherwise) set_input(node, place, constant(node, attribute, {}, std::vector<float>{value}));
  }

  static void set_input(onnx::NodeProto& node, int place, const std::string& tensor) {
    while (node.input_size() <= place) node.add_input("");
    node.set_input(place, tensor);
  }

  template <typename T>
  std::string constant(const onnx::NodeProto& node, const std::string& suffix, const Dims& dims,
                       const std::vector<T>& values) {
    std::string name = free_name((node.name().empty() ? node.output(0) : node.name()) + "/" + suffix);
    *graph_.add_initializer() = make_tensor(name, dims, values);
    return name;
  }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  onnx::GraphProto& graph_;
  std::int64_t from_;
  const Ranks& ranks_;
  std::set<std::string>& names_;         // of all tensors, graphs inside included
  std::vector<onnx::NodeProto> behind_;  // nodes that follow the one that is rewritten
};

// Files of old formats name their constants among the inputs; newer readers would take these for values to be given.
void separate_constants_from_inputs(onnx::ModelProto& model) {
  std::set<std::string> constants;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) constants.insert(tensor.name());
  auto& inputs = *model.mutable_graph()->mutable_input();
  inputs.erase(
      std::remove_if(inputs.begin(), inputs.end(), [&](const auto& input) { return constants.contains(input.name()); }),
      inputs.end());
}

}  // namespace

void raise_opset(onnx::ModelProto& model, const Ranks& ranks) {
  if (model.ir_version() < 4) separate_constants_from_inputs(model);
  model.set_ir_version(std::max<std::int64_t>(model.ir_version(), kIrVersion));
  for (onnx::OperatorSetIdProto& set : *model.mutable_opset_import()) {
    if (!(set.domain().empty() || set.domain() == "ai.onnx") || set.version() >= kTarget) continue;
    if (set.version() < kOldest)
      throw ModelError("export_onnx", fmt::format("the model is of ONNX operator set {}, expected {} or later; convert "
                                                  "it to operator set 13 or later",
                                                  set.version(), kOldest));
    if (model.functions_size() > 0)
      throw ModelError("export_onnx", fmt::format("the model has functions of its own and operator set {}; convert it "
                                                  "to operator set 13 or later",
                                                  set.version()));
    std::set<std::string> names;
    Raiser(*model.mutable_graph(), set.version(), ranks, names).run();
    set.set_version(kTarget);
  }
}

}  // namespace lpot
