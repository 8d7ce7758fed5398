// Random tensors for the data sets dummy and dummy_v2.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

struct DummyTensor {
  Shape shape;  // of one sample
  ElementType type = ElementType::F32;
  double low = 0, high = 1;
};

// Values that depend on the seed and their position only.
Tensor fill(const DummyTensor&, std::uint64_t seed);

// The shapes that a parameter gives: a list of numbers is one shape, a list of texts like 128x10 is several.
// Throws ConfigError when a shape is none or has no elements, or too many.
std::vector<Shape> read_shapes(const Component&, const std::string& parameter);

// Shapes with the parameters low, high and dtype, which give one value for all or one for each. Throws ConfigError.
std::vector<DummyTensor> with_values(const Component&, std::vector<Shape>);

}  // namespace lpot
