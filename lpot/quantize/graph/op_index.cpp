#include "lpot/quantize/graph/op_index.h"

#include <fmt/format.h>

#include <openvino/openvino.hpp>

#include "lpot/core/error.h"
#include "lpot/model/bodies.h"
#include "lpot/model/model.h"

namespace lpot {
namespace {

std::string key(const std::string& name, const std::string& type) { return name + "\n" + type; }

}  // namespace

OpIndex::OpIndex(const ov::Model& graph, std::string module) : module_(std::move(module)) {
  for (const auto& node : all_ops(graph)) ops_.emplace(key(op_name(*node), node->get_type_name()), node);
}

const std::shared_ptr<ov::Node>& OpIndex::find(const std::string& name, const std::string& type) const {
  const auto found = ops_.find(key(name, type));
  if (found == ops_.end()) throw ModelError(module_, fmt::format("op '{}' ({}): not found in the model", name, type));
  return found->second;
}

}  // namespace lpot
