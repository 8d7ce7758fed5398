#include "lpot/data/audio/log_mel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lpot/core/error.h"

namespace lpot {
namespace {

// Slaney's Auditory Toolbox: linear below 1000 Hz, logarithmic above.
constexpr double kLinearStep = 200.0 / 3, kLogStart = 1000, kLogStartMel = kLogStart / kLinearStep;
const double kLogStep = std::log(6.4) / 27;

double to_mel(double hertz, MelScale scale) {
  if (scale == MelScale::Htk) return 2595 * std::log10(1 + hertz / 700);
  return hertz < kLogStart ? hertz / kLinearStep : kLogStartMel + std::log(hertz / kLogStart) / kLogStep;
}

double to_hertz(double mel, MelScale scale) {
  if (scale == MelScale::Htk) return 700 * (std::pow(10, mel / 2595) - 1);
  return mel < kLogStartMel ? mel * kLinearStep : kLogStart * std::exp(kLogStep * (mel - kLogStartMel));
}

std::vector<std::vector<double>> mel_filters(const LogMelOptions& options) {
  const double top = to_mel(options.f_max.value_or(static_cast<double>(options.rate) / 2), options.scale);
  const double bottom = to_mel(options.f_min, options.scale);
  std::vector<double> edges;  // of the triangles, in hertz
  for (std::size_t i = 0; i < options.bands + 2; ++i)
    edges.push_back(to_hertz(bottom + (top - bottom) * static_cast<double>(i) / static_cast<double>(options.bands + 1),
                             options.scale));
  std::vector<std::vector<double>> filters;
  for (std::size_t band = 0; band < options.bands; ++band) {
    const double low = edges[band], middle = edges[band + 1], high = edges[band + 2];
    const double area = options.normalize_area ? 2 / (high - low) : 1;
    std::vector<double>& filter = filters.emplace_back();
    for (std::size_t k = 0; k <= options.n_fft / 2; ++k) {
      const double hertz = static_cast<double>(k * options.rate) / static_cast<double>(options.n_fft);
      filter.push_back(std::max(0.0, std::min((hertz - low) / (middle - low), (high - hertz) / (high - middle))) *
                       area);
    }
  }
  return filters;
}

// A periodic Hann window in the middle of n_fft values.
std::vector<double> hann_window(const LogMelOptions& options) {
  const std::size_t length = options.window == 0 ? options.n_fft : options.window;
  std::vector<double> window(options.n_fft);
  const std::size_t start = (options.n_fft - length) / 2;
  for (std::size_t i = 0; i < length; ++i)
    window[start + i] =
        0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
  return window;
}

double logarithm(double value, const LogMelOptions& options) {
  if (options.log == LogKind::None) return value;
  value = std::max(value, options.floor);
  if (options.log == LogKind::Natural) return std::log(value);
  return (options.log == LogKind::Decibel ? 10 : 1) * std::log10(value);
}

void normalize(std::span<double> values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
  for (double& value : values) value = (value - mean) / (deviation + 1e-5);
}

// `values`: [bands, frames].
void scale_features(std::vector<double>& values, std::size_t frames, const LogMelOptions& options) {
  const double highest = *std::max_element(values.begin(), values.end());
  if (options.log == LogKind::Decibel && options.top_db)
    for (double& value : values) value = std::max(value, highest - *options.top_db);
  if (options.scaling == FeatureScaling::Whisper)
    for (double& value : values) value = (std::max(value, highest - 8) + 4) / 4;
  if (options.scaling == FeatureScaling::PerSample) normalize(values);
  if (options.scaling == FeatureScaling::PerBand)
    for (std::size_t i = 0; i < values.size(); i += frames) normalize(std::span(values).subspan(i, frames));
}

}  // namespace

LogMel::LogMel(const LogMelOptions& options)
    : options_(options), window_(hann_window(options)), transform_(options.n_fft), filters_(mel_filters(options)) {}

// The sound with half a frame at both ends, so that frames are centered at multiples of hop.
std::vector<double> LogMel::padded(std::span<const float> samples) const {
  const std::size_t half = options_.padding == EdgePadding::None ? 0 : options_.n_fft / 2;
  const bool reflects = options_.padding == EdgePadding::Reflect;
  if (reflects && samples.size() <= half)
    throw DataError("log_mel", fmt::format("the sound has {} samples; expected more than half of n_fft = {}. Set "
                                           "length to pad the sound, or padding: zeros",
                                           samples.size(), options_.n_fft));
  std::vector<double> result(samples.size() + 2 * half);
  std::copy(samples.begin(), samples.end(), result.begin() + static_cast<std::ptrdiff_t>(half));
  for (std::size_t i = 0; reflects && i < half; ++i) {
    result[half - 1 - i] = static_cast<double>(samples[i + 1]);
    result[half + samples.size() + i] = static_cast<double>(samples[samples.size() - 2 - i]);
  }
  if (result.size() < options_.n_fft)
    throw DataError("log_mel", fmt::format("the sound has {} samples; expected at least n_fft = {}. Set length to pad "
                                           "the sound",
                                           samples.size(), options_.n_fft));
  return result;
}

Tensor LogMel::of(std::span<const float> samples, std::optional<std::size_t> wanted) const {
  const std::vector<double> sound = padded(samples);
  const std::size_t found = 1 + (sound.size() - options_.n_fft) / options_.hop, frames = wanted.value_or(found);
  std::vector<double> values(options_.bands * frames, logarithm(0, options_));
  std::vector<double> frame(options_.n_fft);
  for (std::size_t t = 0; t < std::min(frames, found); ++t) {
    for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = window_[i] * sound[t * options_.hop + i];
    std::vector<double> power = transform_.power(frame);
    if (options_.power != 2)
      for (double& each : power) each = std::pow(each, options_.power / 2);
    for (std::size_t band = 0; band < options_.bands; ++band) {
      double sum = 0;
      for (std::size_t k = 0; k < power.size(); ++k) sum += filters_[band][k] * power[k];
      values[band * frames + t] = logarithm(sum, options_);
    }
  }
  scale_features(values, frames, options_);
  return Tensor::from<double>({options_.bands, frames}, values).converted(ElementType::F32);
}

}  // namespace lpot
