// The quantization levels of an activation (its FakeQuantize).
//
//   const Range levels = activation_levels({-1.0f, 2.0f}, Symmetry::Asymmetric);
//   const Quantization integers(levels);  // scale and zero point of the same levels
//
#pragma once
#include "lpot/calibrate/range.h"
#include "lpot/plan/plan.h"

namespace lpot {

// Returns the lowest and the highest of the 256 levels, adjusted so that zero is exactly one level. A symmetric range
// has one extra level below zero (-128..127). An empty range becomes about [0, 1] so that the scale is not zero.
//
// The step between levels has at most 16 significant bits, so all levels are exact in 32-bit floats, and so are the
// scale and the zero point that a runtime computes from the two ends. A FakeQuantize with these ends and a
// QuantizeLinear with this scale and zero point are then the same quantizer. The levels of a range from 0 on stay
// inside it, by less than 1/32768, so that the runtime can remove a Clamp before the quantizer. All others cover the
// range.
Range activation_levels(const Range&, Symmetry);

// Scale and zero point of quantization levels. Symmetric levels are int8 with zero point 0, all others uint8.
struct Quantization {
  explicit Quantization(const Range& levels);

  float scale = 1;
  int zero_point = 0;
  bool is_signed = false;
};

}  // namespace lpot
