// Products of two activations: the scores of attention (query times key).
//
// The CPU plug-in runs attention (scores, softmax, weighted sum of values) as one kernel. A product in it runs in int8
// when both of its inputs are int8. Each input has one symmetric range for the whole tensor, because the second input
// does not support a zero point. CPUs that add 8-bit products in 16 bits need half the integer range on one side.
// Products have no weights to restrict, so they stay in fp32 there.
//
// The product after softmax also stays in fp32: in int8 MiniLM is 2% faster, but its error grows by a quarter.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/calibrate/observe.h"
#include "lpot/quantize/graph/quantizable_ops.h"

namespace lpot {

// By product name: the divisors of the channels of its first input, which are also the factors of its second input.
using ScoreDivisors = std::map<std::string, std::vector<float>>;

// In topological order. `activation` and `second` name the tensors with the values of the two inputs, before the heads
// are split and transposed.
std::vector<QuantizableOp> activation_products(const Model&);

// All ops that a plan can set to int8: first the ops with constant weights, then the products of activations, then
// recurrent sequences.
std::vector<QuantizableOp> searchable_ops(const Model&);

// The tensors to observe for the ranges of products.
std::vector<ObservationPoint> product_points(const Model&);

}  // namespace lpot
