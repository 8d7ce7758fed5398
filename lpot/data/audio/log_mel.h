// Log-mel spectrograms: the energy of sound in frequency bands that are spaced as people hear them.
//
//   const LogMel features({.rate = 16000, .n_fft = 400, .hop = 160, .bands = 80});
//   const std::vector<float> samples(16000);
//   const Tensor values = features.of(samples, {});   // f32 [80,101]
//
// The definitions are those of librosa: a periodic Hann window, power spectra, triangular filters. Computed in double.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/data/audio/spectrum.h"

namespace lpot {

enum class MelScale { Slaney, Htk };
enum class LogKind { Decibel, Natural, Log10, None };
enum class EdgePadding { Reflect, Zeros, None };  // None: frames lie inside of the sound
// Of one sample. Whisper: at least the maximum less 8, then (x + 4) / 4, for log10.
enum class FeatureScaling { None, PerSample, PerBand, Whisper };

struct LogMelOptions {
  std::size_t rate = 16000;
  std::size_t n_fft = 512;
  std::size_t window = 0;  // samples of the window, in the middle of the frame; 0: n_fft
  std::size_t hop = 160;
  std::size_t bands = 64;
  double f_min = 0;
  std::optional<double> f_max = {};  // unset: half of the rate
  MelScale scale = MelScale::Slaney;
  bool normalize_area = true;  // of the filters, as librosa; false as torchaudio
  double power = 2;            // 1: magnitudes
  LogKind log = LogKind::Decibel;
  double floor = 1e-10;               // smallest value in front of the logarithm
  std::optional<double> top_db = {};  // with Decibel: no value is further below the maximum
  EdgePadding padding = EdgePadding::Reflect;
  FeatureScaling scaling = FeatureScaling::None;
};

class LogMel {
 public:
  explicit LogMel(const LogMelOptions&);

  // [bands, frames]. `frames` cuts the sound or pads it with silence. Throws DataError if the sound is too short for
  // the padding or for one frame.
  Tensor of(std::span<const float> samples, std::optional<std::size_t> frames) const;

  // The filters: one row of n_fft / 2 + 1 weights for each band.
  const std::vector<std::vector<double>>& filters() const { return filters_; }

 private:
  std::vector<double> padded(std::span<const float> samples) const;

  LogMelOptions options_;
  std::vector<double> window_;
  FourierTransform transform_;
  std::vector<std::vector<double>> filters_;
};

}  // namespace lpot
