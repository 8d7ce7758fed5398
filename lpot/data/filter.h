// Selects samples of a data set.
#pragma once
#include <cstddef>
#include <memory>

#include "lpot/data/dataset.h"

namespace lpot {

// LPOT's LabelBalance: the samples with exactly `boxes` objects, so that the labels of a batch can be stacked. Throws
// DataError if the labels are not boxes, or if no sample has this number of boxes.
std::unique_ptr<Dataset> balance_labels(std::shared_ptr<const Dataset>, std::size_t boxes);

}  // namespace lpot
