#include "lpot/tune/auto_config/sound_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lpot/core/text.h"

namespace lpot {
namespace {

// Numbers of bands that models use; smaller or other sizes are rarely bands.
constexpr std::array<std::int64_t, 10> kBandCounts{20, 24, 32, 40, 48, 64, 80, 96, 100, 128};
constexpr std::array<std::size_t, 5> kRates{16000, 8000, 22050, 44100, 48000};
constexpr std::size_t kSpectrogramRate = 16000;
constexpr std::size_t kMinWaveform = 256;  // samples; shorter inputs are features

bool may_be_bands(std::int64_t size) {
  return std::find(kBandCounts.begin(), kBandCounts.end(), size) != kBandCounts.end();
}

std::size_t length_of(std::int64_t size) { return size > 0 ? static_cast<std::size_t>(size) : 0; }

// The dimensions of a sample that are not 1, with their places in the layout.
struct OpenDimensions {
  std::string layout;
  std::vector<std::size_t> places;
  std::vector<std::int64_t> sizes;
};

OpenDimensions open_dimensions(const std::vector<std::int64_t>& shape) {
  OpenDimensions open{std::string(shape.size() - 1, '1'), {}, {}};
  for (std::size_t i = 1; i < shape.size(); ++i)
    if (shape[i] != 1) {
      open.places.push_back(i - 1);
      open.sizes.push_back(shape[i]);
    }
  return open;
}

// Parameters in the order in which they were set; those that are given stay.
class ParameterText {
 public:
  explicit ParameterText(const std::string& given) {
    for (std::size_t start = 0; start < given.size();) {
      const std::size_t end = std::min(given.find(',', start), given.size());
      const std::string item = given.substr(start, end - start);
      if (const auto colon = item.find(':'); colon != std::string::npos)
        items_.emplace_back(trim(item.substr(0, colon)), trim(item.substr(colon + 1)));
      start = end + 1;
    }
  }
  std::string set(const std::string& name, const std::string& value) {
    for (const auto& [other, text] : items_)
      if (other == name) return text;
    items_.emplace_back(name, value);
    return value;
  }
  std::size_t set(const std::string& name, std::size_t value) {
    const std::string text = set(name, std::to_string(value));
    return std::strtoull(text.c_str(), nullptr, 10);
  }
  bool has(const std::string& name) const {
    return std::any_of(items_.begin(), items_.end(), [&](const auto& item) { return item.first == name; });
  }
  std::string text() const {
    std::string result;
    for (const auto& [name, value] : items_) result += fmt::format("{}{}: {}", result.empty() ? "" : ", ", name, value);
    return result;
  }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

// The number of samples or frames of this length, at least one.
std::size_t count_of(double seconds, double per_second) {
  return static_cast<std::size_t>(std::max(1.0, std::round(seconds * per_second)));
}

SoundFeatures waveform(const SoundInput& input, double seconds, std::size_t rate, const std::string& given) {
  ParameterText parameters(given);
  rate = parameters.set("sample_rate", rate);
  if (!parameters.has("chunk"))
    parameters.set("length", input.length > 0 ? input.length : count_of(seconds, static_cast<double>(rate)));
  parameters.set("layout", input.layout);
  return {fmt::format("waveform at {} Hz", rate), parameters.text()};
}

struct LogChoice {
  const char* name;
  const char* log;
  const char* scaling;
  bool limits_range;  // to 80 dB, as librosa does
};
constexpr std::array<LogChoice, 5> kLogChoices{{{"dB", "db", "none", true},
                                                {"dB, scaled per sample", "db", "per_sample", true},
                                                {"ln", "ln", "none", false},
                                                {"ln, scaled per band", "ln", "per_band", false},
                                                {"log10 as Whisper", "log10", "whisper", false}}};

struct FrameChoice {
  std::size_t hop, n_fft;
};

// Hops whose frames span about the length of the sounds at this rate, each with the usual frame lengths.
std::vector<FrameChoice> frame_choices(const SoundInput& input, double seconds, std::size_t rate) {
  constexpr std::array<FrameChoice, 8> kAll{
      {{160, 400}, {160, 512}, {320, 512}, {320, 640}, {320, 1024}, {256, 1024}, {256, 512}, {512, 2048}}};
  std::vector<FrameChoice> chosen;
  for (const FrameChoice& choice : kAll) {
    const double span = static_cast<double>(input.length * choice.hop) / static_cast<double>(rate);
    if (input.length == 0 ? choice.hop == 160 : span > 0.7 * seconds && span < 2.5 * seconds) chosen.push_back(choice);
  }
  if (chosen.empty()) chosen.push_back(kAll[0]);
  return chosen;
}

SoundFeatures spectrogram(const SoundInput& input, double seconds, const FrameChoice& frame, const LogChoice& log,
                          const std::string& given) {
  ParameterText parameters(given);
  const std::size_t rate = parameters.set("sample_rate", kSpectrogramRate);
  parameters.set("n_mels", input.bands);
  const std::size_t n_fft = parameters.set("n_fft", frame.n_fft), hop = parameters.set("hop_length", frame.hop);
  parameters.set("log", log.log);
  if (log.limits_range) parameters.set("top_db", std::string("80"));
  parameters.set("scaling", log.scaling);
  // The sound is filled up with silence before the spectrum, as in training, so that frames are not padded.
  if (!parameters.has("chunk")) {
    const double per_second = static_cast<double>(rate) / static_cast<double>(std::max<std::size_t>(1, hop));
    const std::size_t frames = input.length > 0 ? input.length : count_of(seconds, per_second) + 1;
    parameters.set("length", (frames - 1) * hop);
    parameters.set("frames", frames);
  }
  parameters.set("layout", input.layout);
  return {fmt::format("{} Hz, hop {}, n_fft {}, {}", rate, hop, n_fft, log.name), parameters.text()};
}

}  // namespace

std::vector<SoundInput> sound_inputs(const std::vector<Port>& inputs) {
  if (inputs.size() != 1 || inputs[0].shape.size() < 2 || !inputs[0].element_type.starts_with("f")) return {};
  const OpenDimensions open = open_dimensions(inputs[0].shape);
  std::vector<SoundInput> found;
  const auto add = [&](std::size_t time, std::optional<std::size_t> band) {
    SoundInput input{length_of(open.sizes[time]), band ? length_of(open.sizes[*band]) : 0, open.layout};
    input.layout[open.places[time]] = 'T';
    if (band) input.layout[open.places[*band]] = 'F';
    found.push_back(std::move(input));
  };
  if (open.sizes.size() == 1 && (open.sizes[0] < 0 || length_of(open.sizes[0]) >= kMinWaveform)) add(0, {});
  if (open.sizes.size() == 2) {
    if (may_be_bands(open.sizes[0])) add(1, 0);
    if (may_be_bands(open.sizes[1])) add(0, 1);
  }
  return found;
}

std::vector<SoundFeatures> sound_features(const SoundInput& input, double seconds, const std::string& given) {
  std::vector<SoundFeatures> features;
  const auto add = [&](SoundFeatures added) {
    if (std::none_of(features.begin(), features.end(),
                     [&](const SoundFeatures& other) { return other.parameters == added.parameters; }))
      features.push_back(std::move(added));
  };
  if (input.bands == 0) {
    for (const std::size_t rate : kRates) add(waveform(input, seconds, rate, given));
    return features;
  }
  const std::size_t rate = ParameterText(given).set("sample_rate", kSpectrogramRate);
  for (const FrameChoice& frame : frame_choices(input, seconds, rate))
    for (const LogChoice& log : kLogChoices) add(spectrogram(input, seconds, frame, log, given));
  return features;
}

}  // namespace lpot
