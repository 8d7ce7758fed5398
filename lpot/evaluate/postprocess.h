// What happens between a model's outputs and the metrics.
#pragma once
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

// Every postprocess transform that a config may name.
const Table& postprocesses();

// Applies them to the labels of a batch, in order. LabelShift takes its number from every label: for labels that count
// from 1, or leave out a background class. Throws DataError for a label that is no integer.
std::vector<Tensor> postprocess_labels(std::vector<Tensor> labels, const std::vector<Component>&);

}  // namespace lpot
