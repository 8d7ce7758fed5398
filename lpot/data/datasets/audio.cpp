// Sounds from WAV files as samples of a waveform, as log-mel spectrograms, or in chunks for streaming models.
//
// The channels are averaged, the sound is resampled, cut or padded with silence, and then converted to features.
#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/text_tensor.h"
#include "lpot/data/audio/log_mel.h"
#include "lpot/data/audio/sound.h"
#include "lpot/data/datasets/audio_files.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

struct WaveformOptions {
  std::size_t rate = 16000;
  std::optional<std::size_t> length = {};  // in samples
};

// Adds dimensions of size 1, and swaps bands (F) and frames (T) if the layout has the frames first.
Tensor arranged(const Tensor& features, const std::string& layout) {
  Tensor result = features;
  const auto band = layout.find('F'), frame = layout.find('T');
  if (band != std::string::npos && frame < band) {
    const std::size_t bands = features.shape()[0], frames = features.shape()[1];
    result = Tensor(ElementType::F32, {frames, bands});
    for (std::size_t i = 0; i < features.size(); ++i)
      result.data<float>()[i % frames * bands + i / frames] = features.data<float>()[i];
  }
  Shape shape;
  std::size_t next = 0;
  for (const char dimension : layout) shape.push_back(dimension == '1' ? 1 : result.shape()[next++]);
  return result.reshaped(shape);
}

std::vector<float> read_waveform(const AudioFile& file, const WaveformOptions& options) {
  std::vector<float> samples = resample(read_wav(file.path), {.rate = options.rate, .count = options.length});
  if (options.length) samples.resize(*options.length);
  return samples;
}

class Audio : public Dataset {
 public:
  Audio(std::vector<AudioFile> files, WaveformOptions options, std::string layout, std::string identity)
      : files_(std::move(files)), options_(options), layout_(std::move(layout)), identity_(std::move(identity)) {}

  std::size_t size() const override { return files_.size(); }
  std::string identity() const override { return identity_; }
  Tensor label(std::size_t index) const override { return file(index).label(); }

  Sample at(std::size_t index) const override {
    const AudioFile& sound = file(index);
    try {
      const std::vector<float> samples = read_waveform(sound, options_);
      return {{arranged(features_of(samples), layout_)}, sound.label()};
    } catch (const DataError& error) {
      const std::string text = error.what();  // "[decode] message"
      const std::string message = text.substr(text.find("] ") + 2), path = sound.path.string();
      throw DataError("audio",
                      fmt::format("sample {}: {}{}", index, message.starts_with(path) ? "" : path + ": ", message));
    }
  }

 protected:
  virtual Tensor features_of(const std::vector<float>& samples) const {
    return Tensor::from<float>({samples.size()}, samples);
  }

 private:
  const AudioFile& file(std::size_t index) const {
    check_index("audio", index, size());
    return files_[index];
  }

  std::vector<AudioFile> files_;
  WaveformOptions options_;
  std::string layout_;
  std::string identity_;
};

class MelAudio : public Audio {
 public:
  MelAudio(Audio audio, const LogMelOptions& options, std::optional<std::size_t> frames)
      : Audio(std::move(audio)), features_(options), frames_(frames) {}

 protected:
  Tensor features_of(const std::vector<float>& samples) const override { return features_.of(samples, frames_); }

 private:
  LogMel features_;
  std::optional<std::size_t> frames_;
};

struct ChunkOptions {
  std::size_t length = 0;
  std::size_t context = 0;  // samples before the chunk that the model gets too
  std::string layout = "T";
};

// Each file is a sequence of chunks. The last one is padded with silence. Sounds are in memory, because their lengths
// are needed at the start.
class ChunkedAudio : public Dataset {
 public:
  ChunkedAudio(const std::vector<AudioFile>& files, const WaveformOptions& options, const ChunkOptions& chunk,
               std::string identity)
      : chunk_(chunk), identity_(std::move(identity)) {
    for (const AudioFile& file : files) {
      sounds_.push_back({read_waveform(file, options), file.label()});
      lengths_.push_back((sounds_.back().samples.size() + chunk.length - 1) / chunk.length);
      for (std::size_t i = 0; i < lengths_.back(); ++i) places_.push_back({sounds_.size() - 1, i * chunk.length});
    }
  }

  std::size_t size() const override { return places_.size(); }
  std::string identity() const override { return identity_; }
  std::vector<std::size_t> sequence_lengths() const override { return lengths_; }

  Tensor label(std::size_t index) const override {
    check_index("audio", index, size());
    return sounds_[places_[index].sound].label;
  }

  Sample at(std::size_t index) const override {
    check_index("audio", index, size());
    const auto [sound, start] = places_[index];
    const std::vector<float>& samples = sounds_[sound].samples;
    Tensor values(ElementType::F32, {chunk_.context + chunk_.length});
    for (std::size_t i = 0; i < values.size(); ++i)
      if (start + i >= chunk_.context && start + i - chunk_.context < samples.size())
        values.data<float>()[i] = samples[start + i - chunk_.context];
    return {{arranged(values, chunk_.layout)}, label(index)};
  }

 private:
  struct LoadedSound {
    std::vector<float> samples;
    Tensor label;
  };
  struct ChunkPlace {
    std::size_t sound, start;
  };

  ChunkOptions chunk_;
  std::vector<LoadedSound> sounds_;
  std::vector<std::size_t> lengths_;  // chunks of each sound
  std::vector<ChunkPlace> places_;
  std::string identity_;
};

// A parameter that is an integer of at least `least`, if it is set.
std::optional<std::size_t> size_of(const Component& component, const std::string& name, std::int64_t least = 1) {
  if (!component.parameters.has(name)) return std::nullopt;
  const std::int64_t value = component.parameters.integer(name);
  if (value < least) throw config_error(component, fmt::format("{}: expected at least {}, got {}", name, least, value));
  return static_cast<std::size_t>(value);
}

template <typename Choice>
Choice choice_of(const Component& component, const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), component.parameters.text(name));
  return static_cast<Choice>(found - names.begin());
}

const std::vector<std::string> kScales{"slaney", "htk"}, kLogs{"db", "ln", "log10", "none"},
    kPaddings{"reflect", "zeros", "none"}, kScalings{"none", "per_sample", "per_band", "whisper"};

LogMelOptions mel_options(const Component& component, std::size_t rate) {
  const Parameters& parameters = component.parameters;
  LogMelOptions options{.rate = rate,
                        .n_fft = *size_of(component, "n_fft", 2),
                        .window = size_of(component, "window_length").value_or(0),
                        .hop = *size_of(component, "hop_length"),
                        .bands = *size_of(component, "n_mels"),
                        .f_min = parameters.number("f_min"),
                        .scale = choice_of<MelScale>(component, "mel_scale", kScales),
                        .normalize_area = parameters.flag("normalize_filters"),
                        .power = parameters.number("power"),
                        .log = choice_of<LogKind>(component, "log", kLogs),
                        .floor = parameters.number("log_floor"),
                        .padding = choice_of<EdgePadding>(component, "padding", kPaddings),
                        .scaling = choice_of<FeatureScaling>(component, "scaling", kScalings)};
  if (parameters.has("f_max")) options.f_max = parameters.number("f_max");
  if (parameters.has("top_db")) options.top_db = parameters.number("top_db");
  const double f_max = options.f_max.value_or(static_cast<double>(rate) / 2);
  if (options.window > options.n_fft)
    throw config_error(component,
                       fmt::format("window_length: {} is longer than n_fft = {}", options.window, options.n_fft));
  if (!(options.f_min >= 0 && options.f_min < f_max && 2 * f_max <= static_cast<double>(rate)))
    throw config_error(component, fmt::format("the bands reach from {} to {} Hz; expected f_min below f_max, and f_max "
                                              "at most half of sample_rate = {}",
                                              options.f_min, f_max, rate));
  if (!(options.power > 0 && options.floor > 0))
    throw config_error(component, "power and log_floor: expected numbers above 0");
  return options;
}

void check_layout(const Component& component, const std::string& layout, bool has_bands) {
  const auto count = [&](char dimension) { return std::count(layout.begin(), layout.end(), dimension); };
  if (layout.find_first_not_of("1FT") == std::string::npos && count('T') == 1 && count('F') == (has_bands ? 1 : 0))
    return;
  throw config_error(component, fmt::format("layout: expected {}, got '{}'",
                                            has_bands ? "F (bands), T (frames) and any number of 1, as in FT or 1TF"
                                                      : "T (samples) and any number of 1, as in T or 1T",
                                            layout));
}

// The features that the parameters choose exclude each other.
void check_features(const Component& component) {
  const auto has = [&](const std::string& name) { return component.parameters.has(name); };
  if (has("n_mels") && has("chunk"))
    throw config_error(component, "expected n_mels or chunk, got both; chunks are samples of the waveform");
  if (has("n_mels") != (has("n_fft") && has("hop_length")))
    throw config_error(component, "log-mel features need n_mels, n_fft and hop_length, a waveform none of them");
  if (has("frames") && !has("n_mels"))
    throw config_error(component, "frames: expected n_mels too; length sets the samples of a waveform");
}

std::string audio_identity(const Component& component, const std::vector<AudioFile>& files) {
  std::vector<std::filesystem::path> paths;
  Fingerprint labels;
  for (const AudioFile& file : files) {
    paths.push_back(file.path);
    labels.add(file.label_text());
  }
  return fmt::format("audio({}) {} {}", component.parameters.describe(), fingerprint_files(paths), labels.hex());
}

std::unique_ptr<Dataset> make_audio(const Component& component) {
  const Parameters& parameters = component.parameters;
  const bool has_bands = parameters.has("n_mels");
  check_features(component);
  const WaveformOptions options{*size_of(component, "sample_rate", kMinSampleRate), size_of(component, "length")};
  if (options.rate > kMaxSampleRate)
    throw config_error(component,
                       fmt::format("sample_rate: expected at most {}, got {}", kMaxSampleRate, options.rate));
  std::string layout = parameters.has("layout") ? parameters.text("layout") : has_bands ? "FT" : "T";
  check_layout(component, layout, has_bands);
  std::vector<AudioFile> files = find_audio_files(component);
  std::string identity = audio_identity(component, files);
  if (const auto chunk = size_of(component, "chunk"))
    return std::make_unique<ChunkedAudio>(
        files, options, ChunkOptions{*chunk, size_of(component, "chunk_context", 0).value_or(0), layout}, identity);
  Audio audio(std::move(files), options, std::move(layout), std::move(identity));
  if (!has_bands) return std::make_unique<Audio>(std::move(audio));
  return std::make_unique<MelAudio>(std::move(audio), mel_options(component, options.rate),
                                    size_of(component, "frames"));
}

}  // namespace

DatasetKind audio_dataset() {
  return {{.name = "audio",
           .summary = "sounds from WAV files: waveforms, log-mel spectrograms, or chunks",
           .parameters = audio_parameters()},
          make_audio};
}

}  // namespace lpot
