// Estimates quantization ranges from collected statistics. Reads no data.
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
  double percentile = 99.99;  // share of values inside the range, for Algorithm::Percentile
};

struct Range {
  float low = 0;
  float high = 0;

  bool operator==(const Range&) const = default;
};

// The range that `algorithm` finds for a tensor. Always low <= 0 <= high, so that zero is exact. Symmetric ranges have
// low == -high, except that a tensor without negative values keeps low == 0. Throws DataError for empty statistics.
Range find_range(const TensorStatistics&, Algorithm, const RangeOptions& = {});

// The individual algorithms, each in its own file.
Range minmax_range(const TensorStatistics&, const RangeOptions&);
Range kl_range(const TensorStatistics&, const RangeOptions&);
Range percentile_range(const TensorStatistics&, const RangeOptions&);
Range mse_range(const TensorStatistics&, const RangeOptions&);

}  // namespace lpot
