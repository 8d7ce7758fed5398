// Reads RIFF/WAVE files: a chunk "fmt " with the encoding, then a chunk "data" with the samples. Other chunks are
// skipped.
//
// Programs that write to a pipe do not know the length and write a placeholder close to 2^31 or 2^32; such a chunk ends
// with the file.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string_view>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/audio/sound.h"

namespace lpot {
namespace {

constexpr std::uint64_t kMaxWavBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t kUnknownLength = 0x7fff0000;  // and above
constexpr unsigned kPcm = 1, kFloat = 3, kExtensible = 0xfffe;

using WavBytes = std::span<const std::uint8_t>;

[[noreturn]] void bad_wav(const std::string& message) { throw DataError("decode", message); }

std::uint64_t little_endian(WavBytes bytes, std::size_t offset, std::size_t count) {
  if (offset + count > bytes.size()) bad_wav("damaged WAV: the header is truncated");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(bytes[offset + i]) << 8 * i;
  return value;
}

bool has_name(WavBytes bytes, std::size_t offset, std::string_view name) {
  return offset + 4 <= bytes.size() && std::memcmp(bytes.data() + offset, name.data(), 4) == 0;
}

struct WavFormat {
  unsigned encoding = 0;
  std::size_t channels = 0, rate = 0;
  std::size_t bytes_each = 0;  // of one sample of one channel
};

std::string_view name_of_encoding(unsigned encoding) {
  switch (encoding) {
    case 2:
    case 0x11:
      return "ADPCM";
    case 6:
      return "A-law";
    case 7:
      return "mu-law";
    case 0x55:
      return "MP3";
    default:
      return "unknown";
  }
}

void check_format(const WavFormat& format) {
  const std::size_t bytes = format.bytes_each;
  const bool is_pcm = format.encoding == kPcm && bytes >= 1 && bytes <= 4;
  const bool is_float = format.encoding == kFloat && (bytes == 4 || bytes == 8);
  if (!is_pcm && !is_float)
    bad_wav(fmt::format(
        "WAV encoding {} ({}) with {} bits; expected PCM with 8, 16, 24 or 32 bits, or floats with 32 "
        "or 64 bits. Convert the file, for example with `ffmpeg -i FILE -c:a pcm_s16le OUT.wav`",
        format.encoding,
        is_pcm || is_float || format.encoding == kPcm || format.encoding == kFloat ? "numbers"
                                                                                   : name_of_encoding(format.encoding),
        bytes * 8));
  if (format.rate < kMinSampleRate || format.rate > kMaxSampleRate)
    bad_wav(fmt::format("damaged WAV: {} samples per second; expected {} to {}", format.rate, kMinSampleRate,
                        kMaxSampleRate));
}

WavFormat parse_format(WavBytes chunk) {
  WavFormat format;
  format.encoding = static_cast<unsigned>(little_endian(chunk, 0, 2));
  format.channels = little_endian(chunk, 2, 2);
  format.rate = little_endian(chunk, 4, 4);
  const std::size_t block = little_endian(chunk, 12, 2), bits = little_endian(chunk, 14, 2);
  if (format.encoding == kExtensible) format.encoding = static_cast<unsigned>(little_endian(chunk, 24, 2));
  if (format.channels == 0 || block == 0 || block % format.channels != 0 || bits > block / format.channels * 8)
    bad_wav(fmt::format("damaged WAV: {} channels of {} bits in blocks of {} bytes", format.channels, bits, block));
  format.bytes_each = block / format.channels;
  check_format(format);
  return format;
}

float to_float(const std::uint8_t* bytes, const WavFormat& format) {
  if (format.encoding == kFloat && format.bytes_each == 4) {
    float value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (format.encoding == kFloat) {
    double value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<float>(value);
  }
  if (format.bytes_each == 1) return (static_cast<float>(bytes[0]) - 128) / 128;
  std::uint32_t value = 0;  // the sample in the upper bits
  for (std::size_t i = 0; i < format.bytes_each; ++i)
    value |= static_cast<std::uint32_t>(bytes[i]) << 8 * (4 - format.bytes_each + i);
  return static_cast<float>(static_cast<double>(std::bit_cast<std::int32_t>(value)) / 0x1p31);
}

Sound mixed(WavBytes data, const WavFormat& format) {
  const std::size_t block = format.channels * format.bytes_each, count = data.size() / block;
  if (count == 0) bad_wav("the WAV file has no samples; expected sound");
  Sound sound{format.rate, std::vector<float>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t channel = 0; channel < format.channels; ++channel)
      sum += static_cast<double>(to_float(data.data() + i * block + channel * format.bytes_each, format));
    sound.samples[i] = static_cast<float>(sum / static_cast<double>(format.channels));
  }
  return sound;
}

// The chunk at the offset of its name. A chunk of unknown length ends with the file.
WavBytes chunk_at(WavBytes bytes, std::size_t offset, bool is_data) {
  const auto size = static_cast<std::uint32_t>(little_endian(bytes, offset + 4, 4));
  const std::size_t left = bytes.size() - offset - 8;
  if (size > left && !(is_data && size >= kUnknownLength))
    bad_wav(fmt::format("truncated WAV: a chunk of {} bytes, of which the file has {}", size, left));
  return bytes.subspan(offset + 8, std::min<std::size_t>(size, left));
}

}  // namespace

Sound decode_wav(WavBytes bytes) {
  if (!has_name(bytes, 0, "RIFF") || !has_name(bytes, 8, "WAVE"))
    bad_wav(bytes.empty() ? "the file is empty; expected a WAV file with sound"
                          : "not a WAV file; expected a RIFF header. Convert the file, for example with ffmpeg");
  std::optional<WavFormat> format;
  for (std::size_t offset = 12; offset + 8 <= bytes.size();) {
    const bool is_data = has_name(bytes, offset, "data");
    const WavBytes chunk = chunk_at(bytes, offset, is_data);
    if (has_name(bytes, offset, "fmt ")) format = parse_format(chunk);
    if (is_data && !format) bad_wav("damaged WAV: the samples come before the format");
    if (is_data) return mixed(chunk, *format);
    offset += 8 + chunk.size() + chunk.size() % 2;  // chunks start at even offsets
  }
  bad_wav("damaged WAV: the file has no data chunk; expected sound");
}

Sound read_wav(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, kMaxWavBytes);
  try {
    return decode_wav(bytes);
  } catch (const DataError& error) {
    const std::string text = error.what();  // "[decode] message"
    throw DataError("decode", fmt::format("{}: {}", path.string(), text.substr(text.find("] ") + 2)));
  }
}

}  // namespace lpot
