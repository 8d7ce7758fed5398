// Transforms change a sample on its way to the model. Images come as height x width x channel, uint8, RGB.
//
//   const Transform resize = make_transform(parse_component("Resize: {size: 256}", transforms()));
//   const auto zero = [](Sample sample, std::uint64_t) {
//     sample.inputs[0] = Tensor(sample.inputs[0].element_type(), sample.inputs[0].shape());
//     return sample;
//   };
//   const DataLoader loader(dataset, {resize, {.name = "Zero", .apply = zero}});
//
// Image transforms change the first input only. Where channels may be first or last, the dimension whose size fits
// decides; if both fit, floats have channels first (as ToTensor leaves them) and integers last (as data sets give
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
  // `seed` differs for each sample, so that random transforms give the same result with any number of threads.
  std::function<Sample(Sample, std::uint64_t seed)> apply;
  std::string identity = {};  // name and parameters, for the identity of the loader; empty: only the name
};

// All transforms that a config can name.
const Table& transforms();

// Builds the transform that a config describes. Throws ConfigError.
Transform make_transform(const Component&);

}  // namespace lpot
