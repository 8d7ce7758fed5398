// Samples whose inputs are damaged: a NaN in them makes of a model's answer anything.
#pragma once
#include <cstddef>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

struct NanInput {
  std::size_t row = 0;    // of the batch
  std::size_t input = 0;  // the first one of the sample's that holds NaN
};

// The samples of a batch, `inputs` stacked as a loader gives them, that hold NaN; infinities may be meant (masks).
std::vector<NanInput> find_nans(const std::vector<Tensor>& inputs);

}  // namespace lpot
