// Outputs of a streaming model that become inputs of the next step.
//
//   Model vad = load_model("vad.onnx", {.state = {{"hn", "h"}, {"cn", "c"}}});
//   for (const StateBinding& bound : vad.state) std::cout << bound.output << " feeds " << bound.input << "\n";
//
// The numbers of the ports are stored, because graphs that are derived from a model keep their order.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

// Finds the ports of model.state, a map from an output to the input that it feeds. Throws ModelError for an unknown
// name, for two outputs that feed one input, for a type or shape that does not match, and if no input is left for data.
std::vector<StateBinding> bind_state(const Model&, const std::map<std::string, std::string>& state);

bool is_state_input(const Model&, std::size_t input);

}  // namespace lpot
