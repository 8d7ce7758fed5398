// Pairs of kernels (convolutions, products with constant weights) whose common channels can be rescaled without a
// trace: what the first gives out in channel i is divided by d_i, the weights of the second that read it are multiplied
// by d_i. That is exact in fp32 where only ops with f(x / d) = f(x) / d for d > 0 lie between: the first one's bias,
// whose numbers are divided too, ReLU, pooling, means over other axes, ops that hand values on, and in attention the
// mix of values by the probabilities. Nobody else may read what lies between, and the weights must be the kernels' own.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

struct ChannelPair {
  std::string first;  // names of the kernels
  std::string second;
  std::string bias;  // the constant that is added behind the first; "": none
  std::string mix;   // the product of two activations between them; "": none
  std::size_t channels = 0;

  auto operator<=>(const ChannelPair&) const = default;
};

// In topological order of the first kernels.
std::vector<ChannelPair> channel_pairs(const Model&);

// Two kernels that a product of two activations multiplies channel by channel (queries and keys of attention): what one
// divides the other multiplies.
struct FactorPair {
  std::string product;
  std::array<std::string, 2> kernels;  // that make its inputs
  std::array<std::string, 2> biases;   // the constants added behind them; "": none
  std::size_t channels = 0;

  auto operator<=>(const FactorPair&) const = default;
};
std::vector<FactorPair> factor_pairs(const Model&);

}  // namespace lpot
