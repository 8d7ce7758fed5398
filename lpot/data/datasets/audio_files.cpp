#include "lpot/data/datasets/audio_files.h"

#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/registry.h"
#include "lpot/core/text_tensor.h"
#include "lpot/data/datasets/image_labels.h"
#include "lpot/data/image_files.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

std::vector<AudioFile> without_classes(std::vector<fs::path> sounds) {
  std::vector<AudioFile> files;
  for (fs::path& path : sounds) files.push_back({std::move(path)});
  return files;
}

// The sorted names of the folders are the classes, as of ImageFolder.
std::vector<AudioFile> in_folders(const fs::path& root) {
  std::vector<AudioFile> files;
  std::int64_t category = 0;
  for (const fs::path& folder : sound_class_folders(root)) {
    for (fs::path& path : sounds_below(folder)) files.push_back({std::move(path), category});
    ++category;
  }
  return files.empty() ? without_classes(sounds_directly_in(root)) : files;
}

std::vector<AudioFile> in_list(const FileList& list, bool has_texts) {
  std::vector<AudioFile> files;
  if (has_texts)
    for (ListedText& file : read_texts(list)) files.push_back({std::move(file.path), {}, std::move(file.text)});
  else
    for (LabelledFile& file : read_labels(list).files) files.push_back({std::move(file.path), file.label});
  return files;
}

}  // namespace

Tensor AudioFile::label() const {
  if (text) return to_text_tensor({*text});
  return category ? Tensor::scalar<std::int64_t>(*category) : Tensor();
}

std::string AudioFile::label_text() const {
  return text ? *text + "\n" : category ? fmt::format("{} ", *category) : "- ";
}

std::vector<AudioFile> find_audio_files(const Component& component) {
  const Parameters& parameters = component.parameters;
  const fs::path root = parameters.text("root");
  const bool has_list = parameters.has("list");
  const std::string labels = parameters.has("labels") ? parameters.text("labels") : has_list ? "classes" : "folders";
  const bool needs_list = labels == "classes" || labels == "texts";
  if (needs_list != has_list)
    throw config_error(component, fmt::format("labels: {} {} list", labels, needs_list ? "needs a" : "needs no"));
  std::error_code ignored;
  if (!fs::is_directory(root, ignored)) throw DataError("audio", fmt::format("{}: no such folder", root.string()));
  if (has_list) return in_list({"audio", root, parameters.text("list"), {".wav", ".WAV"}}, labels == "texts");
  std::vector<AudioFile> files = labels == "none" ? without_classes(sounds_below(root)) : in_folders(root);
  if (files.empty())
    throw DataError("audio", fmt::format("{}: found no .wav files; expected WAV files in the folder, or one subfolder "
                                         "per class. Convert other sound files, for example with ffmpeg",
                                         root.string()));
  return files;
}

std::vector<Parameter> audio_parameters() {
  return {
      {"root", ValueKind::Path, "", true, "folder of the WAV files"},
      {"list", ValueKind::Path, "", false, "file that lists files with classes or texts: text lines or CSV"},
      {"labels",
       ValueKind::Text,
       "",
       false,
       "folders: one folder per class (default); classes: numbers or names in list (default with list); texts: "
       "transcripts in list; none",
       {"folders", "classes", "texts", "none"}},
      {"sample_rate", ValueKind::Integer, "16000", false, "samples per second of the model; sounds are resampled"},
      {"length", ValueKind::Integer, "", false,
       "number of samples; longer sounds are cut, shorter ones padded with silence (default: as in the file)"},
      {"layout", ValueKind::Text, "", false,
       "dimensions of a sample: T (samples or frames), F (bands) and 1; by default T for waveforms and FT for bands"},
      {"chunk", ValueKind::Integer, "", false,
       "for streaming models, samples per step: each file is a sequence of chunks"},
      {"chunk_context", ValueKind::Integer, "", false, "samples before each chunk that the model gets too"},
      {"n_mels", ValueKind::Integer, "", false, "number of bands of log-mel spectrograms (default: waveforms)"},
      {"n_fft", ValueKind::Integer, "", false, "samples per frame of the spectrogram"},
      {"hop_length", ValueKind::Integer, "", false, "samples from one frame to the next"},
      {"window_length", ValueKind::Integer, "", false, "samples of the Hann window (default: n_fft)"},
      {"frames", ValueKind::Integer, "", false, "number of frames; others are cut or padded with silence"},
      {"f_min", ValueKind::Number, "0", false, "lowest frequency of the bands in Hz"},
      {"f_max", ValueKind::Number, "", false, "highest frequency of the bands (default: half of sample_rate)"},
      {"mel_scale", ValueKind::Text, "slaney", false, "slaney (librosa) or htk (torchaudio)", {"slaney", "htk"}},
      {"normalize_filters", ValueKind::Flag, "true", false,
       "filters of equal area (librosa) or of equal height (torchaudio)"},
      {"power", ValueKind::Number, "2", false, "2: energies; 1: magnitudes"},
      {"log", ValueKind::Text, "db", false, "db: 10 log10(x); ln; log10; none", {"db", "ln", "log10", "none"}},
      {"log_floor", ValueKind::Number, "1e-10", false, "smallest value before the logarithm"},
      {"top_db", ValueKind::Number, "", false, "with db, largest distance from the maximum of the sound"},
      {"padding",
       ValueKind::Text,
       "reflect",
       false,
       "both ends of the sound, so that frames are centered; none: frames inside of the sound",
       {"reflect", "zeros", "none"}},
      {"scaling",
       ValueKind::Text,
       "none",
       false,
       "of the features of a sound: to mean 0 and deviation 1, per sample or per band; whisper: as that model expects",
       {"none", "per_sample", "per_band", "whisper"}}};
}

}  // namespace lpot
