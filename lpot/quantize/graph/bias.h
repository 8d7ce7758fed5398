// The bias of a kernel: the constant that is added to its output. Writers use the same functions, so that all files of
// a plan contain the same bias.
#pragma once
#include <cstdint>
#include <memory>
#include <openvino/op/constant.hpp>
#include <optional>
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

// The addition of a bias after a kernel.
struct BiasAddition {
  std::shared_ptr<ov::Node> node;
  std::shared_ptr<ov::op::v0::Constant> constant;
  std::size_t side = 1;  // index of the input that is the constant

  std::vector<float> values(std::size_t channels) const;  // one per output channel
};

std::size_t output_channels(const ov::Node& kernel);

// The kernel's only reader, if it adds a constant with one value or one value per output channel.
std::optional<BiasAddition> find_bias(const ov::Node& kernel);

// A bias as multiples of the product of the input's scale and the weights' scales. An int8 kernel sums its products in
// this unit, so it can add such a bias as an integer.
struct IntegerBias {
  std::vector<std::int32_t> integers;
  std::vector<float> scales;

  std::vector<float> values() const;
};

// Empty if the op's activation is not quantized, or if the bias is too large for int32.
std::optional<IntegerBias> integer_bias(const std::vector<float>& bias, const OpEdit&);

// The bias that the op gets: integer_bias as floats if it exists, otherwise `bias`. ONNX Runtime runs a convolution in
// int8 only if its bias is an integer. Rounding the bias moves the values before the next quantizer by much less than
// its step. But some of them then round to another level, and in a noisy int8 model this changes the outputs as much as
// the quantization itself. So the bias is rounded in every file or in none.
std::vector<float> rounded_bias(const std::vector<float>& bias, const OpEdit&);

// With dynamic shapes, OpenVINO 2026.4 computes wrong values for an int8 convolution without bias that has several
// readers, and it removes a bias that is zero in all channels. `mark_needed_biases` finds these convolutions, and
// `complete_bias` adds one integer level to their first channel.
void mark_needed_biases(const Model& source, Edits&);
std::vector<float> complete_bias(std::vector<float> bias, const ov::Node& kernel, const OpEdit&);

}  // namespace lpot
