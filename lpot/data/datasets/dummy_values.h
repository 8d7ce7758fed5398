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

// Values that only depend on the seed and on their position.
Tensor fill(const DummyTensor&, std::uint64_t seed);

// The shapes of a parameter: a list of numbers is one shape; in a list of texts such as 128x10, each text is a shape.
// Throws ConfigError if a shape is invalid, has no elements or has too many.
std::vector<Shape> read_shapes(const Component&, const std::string& parameter);

// Combines shapes with the parameters low, high and dtype, which have one value for all shapes or one per shape. Throws
// ConfigError.
std::vector<DummyTensor> with_values(const Component&, std::vector<Shape>);

}  // namespace lpot
