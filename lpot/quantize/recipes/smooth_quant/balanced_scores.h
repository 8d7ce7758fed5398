// Balanced scores: SmoothQuant for products of two activations.
//
// Attention multiplies channel i of the queries only by channel i of the keys. So the weights that produce the queries
// can be divided by any d_i if the weights that produce the keys are multiplied by it. With
//   | d_i = sqrt(max|query_i| / max|key_i|)
// both channels have the same magnitude, and a channel with huge values in one tensor no longer widens the range of all
// its other channels. d_i is rounded to a power of two, so that the scaling of the weights is exact.
//
// Limits: calibration must have observed the channels of both tensors, and only value-preserving ops may lie between
// the kernels and the product.
#pragma once
#include <vector>

#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantization_target.h"

namespace lpot {

// For the products that the plan sets to int8. Changes the weights and biases of the kernels before them.
ScoreDivisors balance_scores(const Model&, const Plan&, const Statistics&, Rescaling&);

// The levels of the inputs of every product that the plan sets to int8. Throws DataError when a tensor has no
// statistics.
std::vector<ProductEdit> product_edits(const Model&, const Plan&, const Statistics&, const ScoreDivisors&);

}  // namespace lpot
