// Balanced scores: SmoothQuant for the products of two activations. Attention multiplies channel i of the queries by
// channel i of the keys alone, so how large each of the two is is a matter of choice: divided by d in the queries'
// weights, multiplied by d in the keys'. With
//   | d = sqrt(max|query_i| / max|key_i|), as a power of two, so that the weights keep their last bit,
// both are equally large, and a channel that is huge in one of them no longer takes the range of the others.
//
// Limits: the channels of both must be known from calibration, and nothing but movers may lie between.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/quantize/graph/quantization_target.h"

namespace lpot {

// What the observed channels of a product's first input are divided by and those of its second multiplied, by the
// product's name.
using ScoreDivisors = std::map<std::string, std::vector<float>>;

// For the products that the plan has in int8; changes the weights and biases of the kernels.
ScoreDivisors balance_scores(const Model&, const Plan&, const Statistics&, Rescaling&);

// Levels of the inputs of every product that the plan has in int8. Throws DataError when a tensor has no statistics.
std::vector<ProductEdit> product_edits(const Model&, const Plan&, const Statistics&, const ScoreDivisors&);

}  // namespace lpot
