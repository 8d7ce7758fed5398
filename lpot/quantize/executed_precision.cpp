#include "lpot/quantize/executed_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <openvino/openvino.hpp>
#include <set>

#include "lpot/quantize/graph/op_index.h"

namespace lpot {
namespace {

// The types of kernels that have weights.
bool has_weights(const ExecutedOp& op) {
  static const std::set<std::string> kTypes{"Convolution", "Deconvolution", "FullyConnected", "MatMul"};
  return kTypes.contains(op.type);
}

// The name of a kernel ends with its precision. Kernels with other names are assumed to be right.
bool runs_in_float(const ExecutedOp& op) {
  std::string name = op.kernel;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.ends_with("_f32") || name.ends_with("_fp32") || name.ends_with("_bf16") || name.ends_with("_f16") ||
         name.ends_with("_fp16");
}

bool implements(const ExecutedOp& kernel, const std::string& name) {
  return kernel.name == name ||
         std::find(kernel.source_names.begin(), kernel.source_names.end(), name) != kernel.source_names.end();
}

std::string describe(const ov::Node& node, const ExecutedOp& kernel) {
  return fmt::format("the runtime has no int8 kernel for this {} (input {}, weights {}) and runs it with {}",
                     node.get_type_name(), node.get_input_partial_shape(0).to_string(),
                     node.get_input_partial_shape(1).to_string(), kernel.kernel);
}

}  // namespace

std::vector<UnusedInt8> unused_int8(const Model& source, const Edits& edits, const std::vector<ExecutedOp>& executed) {
  const OpIndex index(*source.graph, "quantize");
  std::vector<UnusedInt8> found;
  for (const OpEdit& edit : edits.ops) {
    if (edit.activation.empty()) continue;
    const ov::Node& node = *index.find(edit.op, edit.type);
    const auto kernel = std::find_if(executed.begin(), executed.end(), [&](const ExecutedOp& op) {
      return has_weights(op) && implements(op, node.get_friendly_name());
    });
    if (kernel != executed.end() && runs_in_float(*kernel)) found.push_back({edit.op, describe(node, *kernel)});
  }
  return found;
}

}  // namespace lpot
