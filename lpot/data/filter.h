// Selects samples of a data set.
#pragma once
#include <cstddef>
#include <memory>

#include "lpot/data/dataset.h"

namespace lpot {

// LPOT's LabelBalance: the samples with exactly `boxes` objects, so that the labels of a batch can be stacked. Throws
// DataError if the labels are not boxes, or if no sample has this number of boxes.
std::unique_ptr<Dataset> balance_labels(std::shared_ptr<const Dataset>, std::size_t boxes);

// The samples from one fraction to another (0 <= from < to <= 1) of a fixed random order, in the order of the data set.
// Ranges that do not overlap have no sample in common. If the data set has sequences, whole sequences are selected.
// Throws DataError if the part has no samples.
std::unique_ptr<Dataset> select_subset(std::shared_ptr<const Dataset>, double from, double to);

// The samples that can be read. Reads every sample once, on all cores. Dataset::skipped has the error of each other
// sample. Throws DataError if no sample can be read.
std::unique_ptr<Dataset> select_readable(std::shared_ptr<const Dataset>);

}  // namespace lpot
