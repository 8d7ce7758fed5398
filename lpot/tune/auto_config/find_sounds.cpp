#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/data/audio/sound.h"
#include "lpot/data/image_files.h"
#include "lpot/tune/auto_config/found_data.h"
#include "lpot/tune/auto_config/preprocessing_search.h"
#include "lpot/tune/auto_config/sound_features.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr std::size_t kSoundsForLength = 24;  // sounds whose lengths are read
constexpr std::size_t kUncheckedSounds = 32;  // samples for the outputs if the features cannot be checked
constexpr std::size_t kShownFeatures = 4;

// "audio: {root: x}" with more parameters.
std::string with_parameters(const std::string& dataset, const std::string& parameters) {
  return fmt::format("{}, {}}}", dataset.substr(0, dataset.rfind('}')), parameters);
}

// The median length of some sounds that are spread over the folder.
double median_seconds(const std::filesystem::path& root) {
  const std::vector<std::filesystem::path> sounds = sounds_below(root);
  std::vector<double> lengths;
  const std::size_t count = std::min(kSoundsForLength, sounds.size());
  for (std::size_t i = 0; i < count; ++i) try {
      const Sound sound = read_wav(sounds[i * sounds.size() / count]);
      lengths.push_back(static_cast<double>(sound.samples.size()) / static_cast<double>(sound.rate));
    } catch (const DataError&) {  // reported when the data are used
    }
  if (lengths.empty()) return 1;
  std::sort(lengths.begin(), lengths.end());
  return lengths[lengths.size() / 2];
}

std::vector<SoundInput> need_sound_inputs(const Model& model, const FolderContent& content) {
  std::vector<SoundInput> inputs = sound_inputs(model_inputs(model));
  if (!inputs.empty()) return inputs;
  std::vector<std::string> ports;
  for (const Port& port : model_inputs(model)) ports.push_back(port.describe());
  throw DataError("data", fmt::format("{}: {}, but the inputs of the model are {}; expected one input with a waveform "
                                      "like f32 [?,16000] or a log-mel spectrogram like f32 [?,1,40,98]. For other "
                                      "models, for example with a state, write a configuration with the data set audio",
                                      content.root.string(), content.description, fmt::join(ports, ", ")));
}

void report_features(const PreprocessingChoice& choice, const std::string& chosen, FoundData& found) {
  found.findings.push_back(
      fmt::format("sound          {}; the fp32 model on {} sounds:", chosen, choice.fits.front().values.size()));
  for (std::size_t i = 0; i < std::min(kShownFeatures, choice.fits.size()); ++i)
    found.findings.push_back(fmt::format("                 {:<48} {}", choice.fits[i].name, choice.fits[i].describe()));
  if (!choice.has_fit)
    found.warnings.push_back(
        fmt::format("no usual features fit: the predictions hardly depend on the sounds (best: {}, {}). Set those that "
                    "the model was trained with by --audio",
                    choice.fits[0].name, choice.fits[0].describe()));
  else if (!choice.is_clear)
    found.warnings.push_back(
        fmt::format("'{}' and '{}' fit nearly equally well; the configuration uses '{}'. Compare "
                    "with the features that the model was trained with",
                    choice.fits[0].name, choice.fits[1].name, chosen));
}

void report_sound_labels(const FolderContent& content, const LabelHypotheses& labels, const PreprocessingChoice& choice,
                         FoundData& found) {
  if (!content.labels) return;
  found.uses_labels = choice.uses_labels;
  found.label_offset = choice.label_offset;
  found.findings.push_back(fmt::format(
      "labels         {}", content.classes.empty()
                               ? fmt::format("numbers {} to {}", content.labels->first, content.labels->last)
                               : fmt::format("{} classes in the order of their sorted names", content.classes.size())));
  if (!choice.uses_labels)
    found.warnings.push_back(unfit_labels(content, labels, choice.outputs.classes(), "all features"));
}

FoundData unchecked_sounds(const PreprocessingCandidate& first, bool has_labels, SampleRunner& runner) {
  FoundData found;
  found.evaluation = first.data;
  found.outputs = runner.run(first.data, kUncheckedSounds);
  found.findings.push_back(fmt::format("sound          {}", first.name));
  found.warnings.push_back(
      fmt::format("the outputs of the model are not class scores, so the features cannot be "
                  "checked; '{}' is a guess. Set those that the model was trained with by --audio",
                  first.name));
  if (has_labels)
    found.warnings.push_back("the labels are not used, because the outputs of the model are not class scores");
  return found;
}

}  // namespace

FoundData find_sounds(const Model& model, const FolderContent& content, const AutoConfigOptions& options,
                      const Observer& observer) {
  const double seconds = median_seconds(content.root);
  std::vector<PreprocessingCandidate> candidates;
  std::vector<std::string> parameters;  // of each candidate
  const std::vector<SoundInput> inputs = need_sound_inputs(model, content);
  for (const SoundInput& input : inputs)
    for (const SoundFeatures& features : sound_features(input, seconds, options.audio)) {
      candidates.push_back({features.name, {with_parameters(content.evaluation, features.parameters)}});
      parameters.push_back(features.parameters);
    }
  SampleRunner runner(model, observer);
  const SampleOutputs first = runner.run(candidates.front().data, 1);
  std::size_t chosen = 0;
  FoundData found;
  if (first.has_classes() && first.has_row_per_sample) {
    LabelHypotheses labels;
    if (content.labels) labels = label_hypotheses(content.labels->first, content.labels->last, first.classes());
    const PreprocessingChoice choice = choose_preprocessing(
        candidates, labels,
        [&](const PreprocessingCandidate& candidate, std::size_t count) { return runner.run(candidate.data, count); });
    chosen = choice.chosen;
    report_sound_labels(content, labels, choice, found);
    report_features(choice, candidates[chosen].name, found);
    found.evaluation = candidates[chosen].data;
    found.outputs = choice.outputs;
  } else {
    found = unchecked_sounds(candidates[chosen], content.labels.has_value(), runner);
  }
  found.role = find_output_role(output_evidence(model), found.outputs);
  if (found.role.kind != OutputRoleKind::Classes) found.uses_labels = false;
  if (!content.calibration.empty())
    found.calibration = DataText{with_parameters(content.calibration, parameters[chosen])};
  const Component dataset = parse_component(found.evaluation.dataset, component_tables().datasets);
  if (inputs.front().length == 0 && dataset.parameters.has("length"))
    found.findings.push_back(fmt::format("sound length   the model accepts any; sounds are cut or padded to {} samples",
                                         dataset.parameters.integer("length")));
  found.samples = make_dataset(dataset)->size();
  return found;
}

}  // namespace lpot
