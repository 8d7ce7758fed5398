#include "lpot/calibrate/range.h"

#include "lpot/core/error.h"

namespace lpot {

Range find_range(const TensorStatistics& statistics, Algorithm algorithm, const RangeOptions& options) {
  if (statistics.empty()) throw DataError("range", "the tensor has no statistics. Calibrate with at least one sample.");
  switch (algorithm) {
    case Algorithm::MinMax:
      return minmax_range(statistics, options);
    case Algorithm::Kl:
      return kl_range(statistics, options);
    case Algorithm::Percentile:
      return percentile_range(statistics, options);
    case Algorithm::Mse:
      return mse_range(statistics, options);
  }
  throw DataError("range", "unknown algorithm");
}

}  // namespace lpot
