// Filters leave samples of a data set out.
#pragma once
#include <cstddef>
#include <memory>

#include "lpot/data/dataset.h"

namespace lpot {

// LPOT's LabelBalance: the samples with exactly `boxes` objects, so that labels of a batch can be stacked. Throws
// DataError when the labels are not boxes, or no sample has so many.
std::unique_ptr<Dataset> balance_labels(std::shared_ptr<const Dataset>, std::size_t boxes);

}  // namespace lpot
