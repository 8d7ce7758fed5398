// The usual ways to turn sound into the input of a model, as parameters of the data set `audio`.
//
//   for (const SoundInput& input : sound_inputs(model_inputs(model)))
//     std::cout << sound_features(input, 0.8, "").front().parameters << "\n";  // "sample_rate: 16000, n_mels: 40"
//
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

// The sound input of a model: a waveform, or a spectrogram with bands.
struct SoundInput {
  std::size_t length = 0;  // samples or frames; 0: any
  std::size_t bands = 0;   // 0: a waveform
  std::string layout;      // of the data set: "T", "1FT"

  bool operator==(const SoundInput&) const = default;
};

// All readings of the shape if the model has exactly one input: [?,16000] is a waveform, [?,1,40,51] has 40 bands or
// 51. Empty: no reading.
std::vector<SoundInput> sound_inputs(const std::vector<Port>&);

struct SoundFeatures {
  std::string name;        // "16000 Hz, hop 320, n_fft 512, dB"
  std::string parameters;  // "sample_rate: 16000, n_mels: 40, ..."
};

// The usual features for an input, the most usual first. `seconds`: the median length of the sounds, which the frames
// must reach approximately. If the input has any length, all sounds get this length, because those of a batch must be
// equal. `given`: parameters as in a configuration that are fixed.
std::vector<SoundFeatures> sound_features(const SoundInput&, double seconds, const std::string& given);

}  // namespace lpot
