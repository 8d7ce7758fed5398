// A model's graph for inputs of certain shapes.
#pragma once
#include <memory>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

// A copy, one shape for each input. Throws ov::Exception when the graph does not take them.
std::shared_ptr<ov::Model> reshaped_graph(const Model&, const std::vector<Shape>&);

}  // namespace lpot
