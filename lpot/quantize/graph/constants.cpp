#include "lpot/quantize/graph/constants.h"

#include <fmt/format.h>

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/core/error.h"
#include "lpot/model/bodies.h"

namespace lpot {

Constants::Constants(const Model& model) {
  for (const auto& node : all_ops(*model.graph))
    if (ov::is_type<ov::opset8::Constant>(node)) constants_.try_emplace(node->get_friendly_name(), node.get());
}

std::vector<float> Constants::values(const std::string& name) const {
  if (const auto found = changed_.find(name); found != changed_.end()) return found->second;
  if (const auto found = constants_.find(name); found != constants_.end())
    return ov::as_type<const ov::opset8::Constant>(found->second)->cast_vector<float>();
  throw ModelError("quantize", fmt::format("constant '{}': not found in the model", name));
}

void Constants::divide(const std::string& name, const std::vector<float>& divisors) {
  std::vector<float> changed = values(name);
  for (std::size_t i = 0; i < changed.size(); ++i) changed[i] /= divisors.at(i);
  set(name, std::move(changed));
}

std::vector<ConstantEdit> Constants::edits() const {
  std::vector<ConstantEdit> edits;
  for (const auto& [name, values] : changed_) edits.push_back({name, values});
  return edits;
}

}  // namespace lpot
