// Inputs of zeros, for measuring speed without data.
#pragma once
#include <memory>

#include "lpot/data/dataset.h"
#include "lpot/model/model.h"

namespace lpot {

// One sample in the shapes of the model's inputs, 1 where they are dynamic.
std::shared_ptr<const Dataset> zero_data(const Model&);

}  // namespace lpot
