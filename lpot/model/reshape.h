// Reshapes a copy of a model's graph.
#pragma once
#include <memory>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

// A copy of the graph with one given shape per input. Throws ov::Exception if the graph does not accept the shapes.
std::shared_ptr<ov::Model> reshaped_graph(const Model&, const std::vector<Shape>&);

}  // namespace lpot
