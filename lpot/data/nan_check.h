// Finds samples with NaN inputs. NaN inputs make the output of a model meaningless.
#pragma once
#include <cstddef>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

struct NanInput {
  std::size_t row = 0;    // of the batch
  std::size_t input = 0;  // the first input of the sample that contains NaN
};

// The samples of a batch that contain NaN. Infinities are allowed, because masks use them.
std::vector<NanInput> find_nans(const std::vector<Tensor>& inputs);

}  // namespace lpot
