// Ranges for quantization, worked out from kept statistics: no data is read here.
//
//   Range r = find_range(statistics["conv1"], Algorithm::Kl, {.symmetry = Symmetry::Symmetric});
//
#pragma once
#include "lpot/calibrate/statistics.h"
#include "lpot/core/scheme.h"

namespace lpot {

struct RangeOptions {
  int bits = 8;
  Symmetry symmetry = Symmetry::Asymmetric;
  double percentile = 99.99;  // share of values that the range holds, for Algorithm::Percentile
};

struct Range {
  float low = 0;
  float high = 0;

  bool operator==(const Range&) const = default;
};

// The range that `algorithm` prefers for a tensor. Always low <= 0 <= high, so zero stays exact; symmetric ranges have
// low == -high, except that a tensor without negative values keeps low == 0. Throws DataError when nothing was
// observed.
Range find_range(const TensorStatistics&, Algorithm, const RangeOptions& = {});

// The single algorithms, each in its own file.
Range minmax_range(const TensorStatistics&, const RangeOptions&);
Range kl_range(const TensorStatistics&, const RangeOptions&);
Range percentile_range(const TensorStatistics&, const RangeOptions&);
Range mse_range(const TensorStatistics&, const RangeOptions&);

}  // namespace lpot
