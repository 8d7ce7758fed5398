// kl: the range whose quantized distribution is closest to the observed one, by Kullback-Leibler divergence (S. Migacz,
// "8-bit Inference with TensorRT", GTC 2017).
//
// A narrower range has finer steps but clips more. For each candidate, the reference P is the histogram inside the
// range, with the clipped values added to the edge bins. Q is the histogram inside the range (without clipped values)
// after quantization to 2^bits levels: the mass of each level is spread evenly over its non-empty bins. The candidate
// with the smallest sum of p * log(p / q) wins. As in the original, a candidate is a bound on absolute values
// (candidates.h).
//
// The zeros of a ReLU are quantized without error in any range. Here they would be spread over their level and make the
// range far too small. So the zero bin counts at most as much as its larger neighbour.
#include <algorithm>
#include <cmath>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/ranges/candidates.h"

namespace lpot {
namespace {

// The bins [first, last) of a range.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;
};

Window window_of(const Histogram& histogram, double low, double high) {
  const auto bin_at = [&](double value) { return value / histogram.bin_width() + Histogram::kBins / 2.0; };
  const auto first = static_cast<std::size_t>(std::clamp(std::floor(bin_at(low)), 0.0, double(Histogram::kBins - 1)));
  const auto last =
      static_cast<std::size_t>(std::clamp(std::ceil(bin_at(high)), double(first + 1), double(Histogram::kBins)));
  return {first, last};
}

// The mass of each bin after quantization to `levels` levels over the window, not normalized.
std::vector<double> quantized(const std::vector<std::uint64_t>& counts, Window window, std::size_t levels) {
  const std::size_t bins = window.last - window.first;
  std::vector<double> spread(bins, 0.0);
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t begin = level * bins / levels, end = (level + 1) * bins / levels;
    double mass = 0;
    std::size_t filled = 0;
    for (std::size_t i = begin; i < end; ++i) {
      mass += static_cast<double>(counts[window.first + i]);
      filled += counts[window.first + i] != 0;
    }
    if (filled == 0) continue;
    for (std::size_t i = begin; i < end; ++i)
      if (counts[window.first + i] != 0) spread[i] = mass / static_cast<double>(filled);
  }
  return spread;
}

double divergence(const std::vector<std::uint64_t>& counts, Window window, std::size_t levels) {
  const std::size_t bins = window.last - window.first;
  std::vector<double> reference(bins);
  for (std::size_t i = 0; i < bins; ++i) reference[i] = static_cast<double>(counts[window.first + i]);
  double below = 0, above = 0;
  for (std::size_t bin = 0; bin < window.first; ++bin) below += static_cast<double>(counts[bin]);
  for (std::size_t bin = window.last; bin < counts.size(); ++bin) above += static_cast<double>(counts[bin]);
  reference.front() += below;
  reference.back() += above;

  const std::vector<double> model = quantized(counts, window, levels);
  double p_total = 0, q_total = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    p_total += reference[i];
    q_total += model[i];
  }
  if (q_total == 0) return INFINITY;
  // An edge bin with only clipped values has no mass in Q. The minimum keeps the logarithm finite.
  constexpr double kMinShare = 1e-9;
  double sum = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    if (reference[i] == 0) continue;
    const double p = reference[i] / p_total;
    sum += p * std::log(p / std::max(model[i] / q_total, kMinShare));
  }
  return sum;
}

std::vector<std::uint64_t> without_zero_peak(std::vector<std::uint64_t> counts) {
  constexpr std::size_t kZero = Histogram::kBins / 2;
  counts[kZero] = std::min(counts[kZero], std::max(counts[kZero - 1], counts[kZero + 1]));
  return counts;
}

}  // namespace

Range kl_range(const TensorStatistics& statistics, const RangeOptions& options) {
  const Range whole = minmax_range(statistics, options);
  const Histogram& histogram = statistics.histogram();
  if (histogram.counts().empty()) return whole;
  const std::vector<std::uint64_t> counts = without_zero_peak(histogram.counts());
  const std::size_t levels = std::size_t{1} << options.bits;
  return best_candidate(whole, [&](const Range& range) {
    return divergence(counts, window_of(histogram, range.low, range.high), levels);
  });
}

}  // namespace lpot
