#include "lpot/calibrate/range.h"

#include <fmt/format.h>

#include "lpot/core/error.h"

namespace lpot {

Range find_range(const TensorStatistics& statistics, Algorithm algorithm, const RangeOptions& options) {
  if (statistics.empty()) throw DataError("range", "nothing was observed of this tensor");
  switch (algorithm) {
    case Algorithm::MinMax: return minmax_range(statistics, options);
    case Algorithm::Kl: return kl_range(statistics, options);
    case Algorithm::Percentile:
    case Algorithm::Mse: break;
  }
  throw ConfigError("range", fmt::format("algorithm '{}' is not carried out yet; use minmax or kl", to_string(algorithm)));
}

}  // namespace lpot
