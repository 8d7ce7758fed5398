// Pairs of kernels (convolutions, matrix products with constant weights) whose common channels can be rescaled: output
// channel i of the first is divided by d_i, and the weights of the second that read it are multiplied by d_i.
//
// This is exact in fp32 if all ops between the two satisfy f(x / d) = f(x) / d for d > 0:
// - the bias of the first kernel, whose values are divided too
// - ReLU, pooling, means over other axes, value-preserving ops; Clamp with a condition (is_clamped)
// - in attention, the product of probabilities and values
// The tensors between the two must have no other readers, and no other op may use the kernels' weights.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

struct ChannelPair {
  std::string first;  // kernel names
  std::string second;
  std::string bias;  // the constant that is added after the first kernel; "": none
  std::string mix;   // the product of two activations between them; "": none
  std::size_t channels = 0;
  // A Clamp from 0 is between them (ReLU6). f(x / d) = f(x) / d then holds only below the upper limit times d, so
  // values of each channel must stay below that.
  bool is_clamped = false;

  auto operator<=>(const ChannelPair&) const = default;
};

// In topological order of the first kernels.
std::vector<ChannelPair> channel_pairs(const Model&);          // not clamped
std::vector<ChannelPair> clamped_channel_pairs(const Model&);  // clamped

// Two kernels whose outputs a product of two activations multiplies channel by channel (queries and keys of attention).
// If the channels of one are divided, those of the other must be multiplied.
struct FactorPair {
  std::string product;
  std::array<std::string, 2> kernels;  // the kernels that produce the product's inputs
  std::array<std::string, 2> biases;   // the constants that are added after them; "": none
  std::size_t channels = 0;

  auto operator<=>(const FactorPair&) const = default;
};
std::vector<FactorPair> factor_pairs(const Model&);

}  // namespace lpot
