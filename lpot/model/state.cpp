#include "lpot/model/state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"
#include "lpot/model/tensor_names.h"

namespace lpot {
namespace {

using Ports = std::vector<ov::Output<const ov::Node>>;

bool has_name(const ov::Output<const ov::Node>& port, const std::string& name) {
  const auto& names = port.get_names();
  return std::any_of(names.begin(), names.end(), [&](const std::string& own) { return same_tensor(own, name); }) ||
         same_tensor(port.get_node()->get_friendly_name(), name);
}

// `kind` is "input" or "output".
std::size_t find_state_port(const Ports& ports, const std::vector<Port>& described, const std::string& name,
                            const char* kind) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const auto& port) { return has_name(port, name); });
  if (found != ports.end()) return static_cast<std::size_t>(found - ports.begin());
  std::vector<std::string> names;
  for (const Port& port : described) names.push_back(short_tensor_name(port.name));
  throw ModelError("load_model", fmt::format("model.state: the model has no {} '{}'{}; its {}s are {}", kind, name,
                                             similar_tensors(name, names), kind, fmt::join(names, ", ")));
}

}  // namespace

std::vector<StateBinding> bind_state(const Model& model, const std::map<std::string, std::string>& state) {
  const ov::Model& graph = *model.graph;
  const Ports inputs = graph.inputs(), outputs = graph.outputs();
  const std::vector<Port> described_inputs = model_inputs(model), described_outputs = model_outputs(model);
  std::vector<StateBinding> bindings;
  for (const auto& [output_name, input_name] : state) {
    const std::size_t output = find_state_port(outputs, described_outputs, output_name, "output");
    const std::size_t input = find_state_port(inputs, described_inputs, input_name, "input");
    const auto same_input = [&](const StateBinding& bound) { return bound.input == input; };
    if (std::any_of(bindings.begin(), bindings.end(), same_input))
      throw ModelError("load_model",
                       fmt::format("model.state: two outputs feed the input '{}'; expected one", input_name));
    if (outputs[output].get_element_type() != inputs[input].get_element_type() ||
        !outputs[output].get_partial_shape().compatible(inputs[input].get_partial_shape()))
      throw ModelError(
          "load_model",
          fmt::format("model.state: the output {} cannot feed the input {}; expected the same type and shape",
                      described_outputs[output].describe(), described_inputs[input].describe()));
    bindings.push_back({output, input});
  }
  if (!bindings.empty() && bindings.size() == inputs.size())
    throw ModelError("load_model", "model.state: every input is a state; expected at least one input for the data");
  return bindings;
}

bool is_state_input(const Model& model, std::size_t input) {
  return std::any_of(model.state.begin(), model.state.end(),
                     [&](const StateBinding& bound) { return bound.input == input; });
}

}  // namespace lpot
