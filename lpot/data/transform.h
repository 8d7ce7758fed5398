// Transforms change a sample on its way to the model. Images come as height x width x channel, uint8, RGB.
//
// Image transforms change the first input only. Where channels may be first or last, the dimension whose size fits
// tells; when both fit, floats have channels first (as ToTensor leaves them) and integers last (as data sets give
// them).
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
  std::string identity = {};  // name and parameters, for the loader's identity; empty: the name says it all
};

// Every transform that a config may name.
const Table& transforms();

// The transform that a config describes. Throws ConfigError.
Transform make_transform(const Component&);

}  // namespace lpot
