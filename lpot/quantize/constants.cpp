#include "lpot/quantize/constants.h"

#include <fmt/format.h>

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/core/error.h"

namespace lpot {

std::vector<float> Constants::values(const std::string& name) const {
  if (const auto found = changed_.find(name); found != changed_.end()) return found->second;
  for (const auto& node : model_.graph->get_ops())
    if (const auto constant = ov::as_type_ptr<ov::opset8::Constant>(node);
        constant && node->get_friendly_name() == name)
      return constant->cast_vector<float>();
  throw ModelError("quantize", fmt::format("the model has no constant '{}'", name));
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
