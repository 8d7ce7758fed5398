// Reshapes a copy of a model's graph.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

// A copy of the graph with one given shape per input. Throws ov::Exception if the graph does not accept the shapes.
std::shared_ptr<ov::Model> reshaped_graph(const Model&, const std::vector<Shape>&);

// Whether the inputs of the graph accept these shapes without a reshape.
bool accepts_shapes(const Model&, const std::vector<Shape>&);

// The explanation of a failed reshape if the graph only accepts another batch size, else "". `message` is OpenVINO's:
//   "the batch size is 8, but the model has a fixed batch size of 1 at the op 'flat' (Reshape). Use batch size 1 ..."
std::string explain_fixed_batch(const Model&, const std::vector<Shape>&, std::string_view message);

}  // namespace lpot
