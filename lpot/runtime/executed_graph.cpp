#include "lpot/runtime/executed_graph.h"

#include <algorithm>
#include <openvino/openvino.hpp>

#include "lpot/model/bodies.h"

namespace lpot {
namespace {

// Keys of the rt_info in the executed graph of the CPU plug-in.
constexpr const char* kLayerType = "layerType";
constexpr const char* kKernel = "primitiveType";
constexpr const char* kOutputPrecisions = "outputPrecisions";
constexpr const char* kOriginalNames = "originalLayersNames";

std::string info(const ov::Node& node, const char* key) {
  const auto found = node.get_rt_info().find(key);
  return found == node.get_rt_info().end() ? "" : found->second.as<std::string>();
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

ExecutedOp as_executed(const ov::Node& node) {
  ExecutedOp op;
  op.name = node.get_friendly_name();
  op.type = info(node, kLayerType);
  // The plug-in names the kernel of an If after the type of its condition ("unknown_I8").
  op.kernel = op.type == "If" || op.type == "Loop" || op.type == "TensorIterator" ? "unknown" : info(node, kKernel);
  op.precision = info(node, kOutputPrecisions);
  op.source_names = split(info(node, kOriginalNames), ',');
  for (const auto& output : node.outputs())
    if (output.get_partial_shape().is_static())
      op.output_bytes += ov::shape_size(output.get_shape()) * output.get_element_type().size();
  return op;
}

}  // namespace

std::vector<ExecutedOp> executed_graph(const ov::CompiledModel& model) {
  std::vector<ExecutedOp> ops;
  for (const auto& node : model.get_runtime_model()->get_ordered_ops()) ops.push_back(as_executed(*node));
  return ops;
}

std::vector<std::shared_ptr<ov::Model>> all_bodies(const ov::Model& graph) {
  std::vector<std::shared_ptr<ov::Model>> bodies;
  for (const auto& node : all_ops(graph))
    for (const Body& body : bodies_of(*node)) bodies.push_back(body.graph);
  return bodies;
}

std::vector<ExecutedOp> kernels_of_bodies(const std::vector<std::shared_ptr<ov::Model>>& bodies,
                                          const ov::AnyMap& properties) {
  std::vector<ExecutedOp> ops;
  ov::Core core;
  for (const auto& body : bodies) try {
      for (ExecutedOp& op : executed_graph(core.compile_model(body, "CPU", properties))) {
        op.is_in_body = true;
        ops.push_back(std::move(op));
      }
    } catch (const ov::Exception&) {
    }
  return ops;
}

}  // namespace lpot
