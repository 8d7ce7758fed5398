// Sound with one channel, and the functions that read and resample it.
//
//   const Sound sound = read_wav("yes/1.wav");
//   const std::vector<float> samples = resample(sound, {.rate = 16000, .count = 16000});  // the first second
//
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace lpot {

struct Sound {
  std::size_t rate = 0;        // samples per second
  std::vector<float> samples;  // -1..1; floats of a file are not clipped
};

// Limits for sounds from files. Lower rates would let a small file become huge when it is resampled.
inline constexpr std::size_t kMinSampleRate = 1000, kMaxSampleRate = 768000;

// Decodes a WAV file: PCM with 8, 16, 24 or 32 bits, or floats with 32 or 64 bits; the mean of all channels. Throws
// DataError with the operation `decode` if the bytes are damaged, truncated, in another encoding or without samples.
Sound decode_wav(std::span<const std::uint8_t> bytes);

// The same for a file. Errors contain its path.
Sound read_wav(const std::filesystem::path&);

struct ResampleOptions {
  std::size_t rate = 16000;               // of the result
  std::optional<std::size_t> count = {};  // only the first samples of the result
};

// Changes the sample rate with a windowed-sinc filter: 64 zero crossings, a Kaiser window with beta 14.77, and a cutoff
// at 94.76% of the lower Nyquist frequency (resampy's kaiser_best). Frequencies above the new limit are suppressed by
// more than 100 dB. The result has ceil(samples * rate / old rate) samples.
std::vector<float> resample(const Sound&, const ResampleOptions&);

}  // namespace lpot
