// Band-limited interpolation (Smith, Digital Audio Resampling, 1984), as a polyphase filter: the position of an output
// sample between two input samples has one of few values (phases), and each phase has its own weights.
//
//   y[n] = sum over k of x[k] h(n * from / to - k),  h(t) = c sinc(c t) w(c t / zero crossings)
//
// c is the cutoff relative to the input's Nyquist frequency, w the Kaiser window.
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include "lpot/data/audio/sound.h"

namespace lpot {
namespace {

constexpr double kZeroCrossings = 64, kRolloff = 0.9475937167399596, kKaiserBeta = 14.769656459379492;

// The modified Bessel function of order 0 by its power series, which is much faster than std::cyl_bessel_i.
double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (double k = 1; term > 1e-17 * sum; ++k) {
    term *= x * x / (4 * k * k);
    sum += term;
  }
  return sum;
}

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

class SoundFilter {
 public:
  SoundFilter(std::size_t from, std::size_t to)
      : up_(to / std::gcd(from, to)),
        down_(from / std::gcd(from, to)),
        cutoff_(kRolloff * std::min(1.0, static_cast<double>(to) / static_cast<double>(from))),
        reach_(static_cast<std::ptrdiff_t>(std::ceil(kZeroCrossings / cutoff_))) {}

  std::size_t count(std::size_t samples) const { return (samples * up_ + down_ - 1) / down_; }

  float at(const std::vector<float>& samples, std::size_t index) {
    const std::size_t position = index * down_;
    const std::vector<double>& weights = weights_of(position % up_);
    const auto first = static_cast<std::ptrdiff_t>(position / up_) - reach_ + 1;
    const auto end = std::min<std::ptrdiff_t>(first + 2 * reach_, static_cast<std::ptrdiff_t>(samples.size()));
    double sum = 0;
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(first, 0); k < end; ++k)
      sum += weights[static_cast<std::size_t>(k - first)] * static_cast<double>(samples[static_cast<std::size_t>(k)]);
    return static_cast<float>(sum);
  }

 private:
  // Computed when a phase is first used: rates without a common divisor have more phases than a sound needs.
  const std::vector<double>& weights_of(std::size_t phase) {
    std::vector<double>& weights = weights_[phase];
    if (!weights.empty()) return weights;
    const double offset = static_cast<double>(phase) / static_cast<double>(up_);
    for (std::ptrdiff_t k = 1 - reach_; k <= reach_; ++k) weights.push_back(response(offset - static_cast<double>(k)));
    return weights;
  }

  double response(double t) const {
    const double place = cutoff_ * t / kZeroCrossings;
    if (std::abs(place) >= 1) return 0;
    const double window = bessel_i0(kKaiserBeta * std::sqrt(1 - place * place)) / kKaiserPeak;
    return cutoff_ * sinc(cutoff_ * t) * window;
  }

  static inline const double kKaiserPeak = bessel_i0(kKaiserBeta);

  std::size_t up_, down_;
  double cutoff_;
  std::ptrdiff_t reach_;  // input samples on each side
  std::unordered_map<std::size_t, std::vector<double>> weights_;
};

}  // namespace

std::vector<float> resample(const Sound& sound, const ResampleOptions& options) {
  SoundFilter filter(sound.rate, options.rate);
  std::size_t count = filter.count(sound.samples.size());
  if (options.count) count = std::min(count, *options.count);
  if (sound.rate == options.rate)
    return {sound.samples.begin(), sound.samples.begin() + static_cast<std::ptrdiff_t>(count)};
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = filter.at(sound.samples, i);
  return result;
}

}  // namespace lpot
