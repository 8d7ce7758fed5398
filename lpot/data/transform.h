// Transforms change a sample on its way to the model. Images come as height x width x channel, uint8, RGB.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/data/dataset.h"

namespace lpot {

struct Transform {
  std::string name;
  // `seed` differs by sample, so that random transforms give the same result at any thread count.
  std::function<Sample(Sample, std::uint64_t seed)> apply;
};

// Every transform that a config may name.
const Table& transforms();

// The transform that a config describes. Throws ConfigError.
Transform make_transform(const Component&);

}  // namespace lpot
