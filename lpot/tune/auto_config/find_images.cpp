#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/data/loader.h"
#include "lpot/tune/auto_config/found_data.h"
#include "lpot/tune/auto_config/preprocessing_search.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr std::size_t kImagesForSize = 24;  // images whose sizes and pixels are read
constexpr std::size_t kSizeSamples = 256;   // samples on which the ways to resize are compared
constexpr std::size_t kRoleSamples = 16;    // samples that show whether the outputs are scores of classes
constexpr std::size_t kOutputSamples = 32;  // samples for the outputs if the preprocessing cannot be checked
constexpr std::size_t kShownCandidates = 4;
constexpr std::size_t kShownClasses = 3;

struct ImageSummary {
  std::vector<ImageSize> sizes;
  PixelStatistics pixels;
};

// Decodes some images that are spread over the data set. Skips images that cannot be read.
ImageSummary summarize_images(const Dataset& dataset) {
  ImageSummary found;
  double count = 0, sum = 0, squares = 0;
  const std::size_t images = std::min(kImagesForSize, dataset.size());
  for (std::size_t i = 0; i < images; ++i) try {
      const Tensor image = dataset.at(i * dataset.size() / images).inputs.at(0);
      found.sizes.push_back({image.shape()[0], image.shape()[1]});
      for (std::size_t k = 0; k < image.size(); ++k) {
        const double value = image.data<std::uint8_t>()[k] / 255.0;
        count += 1;
        sum += value;
        squares += value * value;
      }
    } catch (const DataError&) {  // reported when the data are used
    }
  if (count > 0) found.pixels.mean = sum / count;
  if (count > 0)
    found.pixels.deviation = std::sqrt(std::max(1e-4, squares / count - found.pixels.mean * found.pixels.mean));
  return found;
}

// Whether the first output has one value per class: [?,1000] or [?,1000,1,1].
bool is_classifier(const Model& model) {
  const std::vector<Port> outputs = model_outputs(model);
  if (outputs.empty() || outputs[0].shape.size() < 2) return false;
  const std::vector<std::int64_t>& shape = outputs[0].shape;
  return shape[1] != 1 && std::all_of(shape.begin() + 2, shape.end(), [](std::int64_t size) { return size == 1; });
}

std::vector<PreprocessingCandidate> candidates_for(const ImageInput& input, const std::string& dataset,
                                                   const ImageStep& size, const std::vector<ImageStep>& steps) {
  std::vector<PreprocessingCandidate> candidates;
  for (const ImageStep& step : steps) candidates.push_back({step.name, {dataset, image_transforms(input, size, step)}});
  return candidates;
}

std::vector<ImageStep> only(std::vector<ImageStep> steps, const std::string& key) {
  std::vector<std::string> keys;
  for (const ImageStep& step : steps) keys.push_back(step.key);
  std::erase_if(steps, [&](const ImageStep& step) { return step.key != key; });
  if (steps.empty())
    throw ConfigError("data", fmt::format("the normalization '{}' does not exist for this model; expected one of {}",
                                          key, fmt::join(keys, ", ")));
  return steps;
}

std::string describe_classes(const FolderContent& content) {
  if (content.classes.empty()) return fmt::format("numbers from {} to {}", content.labels->first, content.labels->last);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShownClasses, content.classes.size()); ++i)
    shown.push_back(fmt::format("{} = {}", i, content.classes[i]));
  return fmt::format("{} classes in the order of their sorted names: {}{}", content.classes.size(),
                     fmt::join(shown, ", "), content.classes.size() > kShownClasses ? ", ..." : "");
}

// The findings and warnings about the normalization.
void report_normalization(const PreprocessingChoice& choice, const std::string& chosen, FoundData& found) {
  found.findings.push_back(
      fmt::format("normalization  {}; the fp32 model on {} images:", chosen, choice.fits.front().values.size()));
  for (std::size_t i = 0; i < std::min(kShownCandidates, choice.fits.size()); ++i)
    found.findings.push_back(fmt::format("                 {:<34} {}{}", choice.fits[i].name, choice.fits[i].describe(),
                                         choice.fits[i].values.size() < choice.fits[0].values.size()
                                             ? fmt::format(" ({} images)", choice.fits[i].values.size())
                                             : ""));
  if (!choice.has_fit)
    found.warnings.push_back(fmt::format(
        "no usual preprocessing fits: the predictions hardly depend on the images (best: {}, {}). Set the transforms "
        "that the model was trained with",
        choice.fits[0].name, choice.fits[0].describe()));
  else if (!choice.is_clear)
    found.warnings.push_back(fmt::format(
        "'{}' and '{}' fit nearly equally well; the configuration uses '{}'. Compare with the preprocessing that the "
        "model was trained with",
        choice.fits[0].name, choice.fits[1].name, chosen));
}

void report_labels(const FolderContent& content, const LabelHypotheses& labels, const PreprocessingChoice& choice,
                   FoundData& found) {
  if (!content.labels) return;
  const std::string shift = choice.label_offset == 0
                                ? ""
                                : fmt::format("; class of the model = label {} {}", choice.label_offset > 0 ? "+" : "-",
                                              std::abs(choice.label_offset));
  found.findings.push_back(fmt::format("labels         {}{}", describe_classes(content), shift));
  found.uses_labels = choice.uses_labels;
  found.label_offset = choice.label_offset;
  if (choice.uses_labels) return;
  found.warnings.push_back(fmt::format("{}. Check the order of the classes: labels are {}",
                                       unfit_labels(content, labels, choice.outputs.classes(), "every preprocessing"),
                                       describe_classes(content)));
}

// The way to resize: the most usual one, unless another is clearly better.
ImageStep choose_size(const std::vector<ImageStep>& sizes, const PreprocessingChoice& normalization,
                      const std::function<SampleOutputs(const ImageStep&)>& run, FoundData& found) {
  std::vector<PreprocessingFit> fits;
  for (const ImageStep& size : sizes) {
    const SampleOutputs outputs = run(size);
    std::vector<std::int64_t> labels;
    if (normalization.uses_labels)
      for (const std::int64_t label : outputs.labels) labels.push_back(label + normalization.label_offset);
    fits.push_back(fit_of(size.name, outputs.rows, labels));
  }
  const std::size_t best = best_fit(fits);
  const std::size_t chosen = clearly_better(fits[best], fits[0]) ? best : 0;
  found.findings.push_back(
      fmt::format("size           {}; the fp32 model on {} images:", sizes[chosen].name, fits[0].values.size()));
  for (const PreprocessingFit& fit : fits)
    found.findings.push_back(fmt::format("                 {:<34} {}", fit.name, fit.describe()));
  return sizes[chosen];
}

// With a wrong preprocessing, class scores may hardly depend on the image. So the outputs are class scores if they are
// with one of the candidates.
OutputRole role_with_any(const std::vector<PreprocessingCandidate>& candidates, const OutputEvidence& evidence,
                         SampleRunner& runner) {
  OutputRole role;
  for (const PreprocessingCandidate& candidate : candidates) {
    const SampleOutputs outputs = runner.run(candidate.data, kRoleSamples);
    role = find_output_role(evidence, outputs);
    if (role.kind == OutputRoleKind::Classes || outputs.shape.size() != 1) break;
  }
  return role;
}

// Without class scores there is nothing that shows whether a preprocessing fits.
FoundData unchecked_images(const ImageInput& input, const FolderContent& content, const ImageStep& size,
                           const std::vector<ImageStep>& steps, SampleRunner& runner) {
  const auto usual = std::find_if(steps.begin(), steps.end(), [](const ImageStep& step) { return step.key == "0..1"; });
  const ImageStep& chosen = usual == steps.end() ? steps.front() : *usual;
  FoundData found;
  found.evaluation = {content.evaluation, image_transforms(input, size, chosen)};
  found.outputs = runner.run(found.evaluation, kOutputSamples);
  found.findings = {fmt::format("normalization  {}", chosen.name), fmt::format("size           {}", size.name)};
  if (steps.size() > 1)
    found.warnings.push_back(fmt::format(
        "the outputs of the model are not class scores, so the preprocessing cannot be checked; '{}' is a guess. Set "
        "the one that the model was trained with by --normalization, or edit the transforms",
        chosen.name));
  return found;
}

// The scores of no and yes instead of one score for yes, so that the outputs are those of a model with two classes.
SampleOutputs with_both_scores(SampleOutputs outputs) {
  for (OutputRow& row : outputs.rows) {
    const double yes = std::clamp(row.at(0), 0.0, 1.0);
    row = {1 - yes, yes};
  }
  outputs.shape = {2};
  return outputs;
}

FoundData checked_images(const ImageInput& input, const FolderContent& content, const std::vector<ImageStep>& sizes,
                         const std::vector<ImageStep>& steps, const RunCandidate& run) {
  const auto candidates = candidates_for(input, content.evaluation, sizes.front(), steps);
  LabelHypotheses labels;
  if (content.labels)
    labels = label_hypotheses(content.labels->first, content.labels->last, run(candidates.front(), 1).classes());
  FoundData found;
  const PreprocessingChoice choice = choose_preprocessing(candidates, labels, run);
  const ImageStep& normalization = steps[choice.chosen];
  report_labels(content, labels, choice, found);
  report_normalization(choice, normalization.name, found);
  ImageStep size = sizes.front();
  if (sizes.size() > 1 && choice.has_fit)
    size = choose_size(
        sizes, choice,
        [&](const ImageStep& other) {
          return run({other.name, {content.evaluation, image_transforms(input, other, normalization)}}, kSizeSamples);
        },
        found);
  else
    found.findings.push_back(fmt::format("size           {}", size.name));
  found.evaluation = {content.evaluation, image_transforms(input, size, normalization)};
  found.outputs = choice.outputs;
  return found;
}

}  // namespace

FoundData find_images(const Model& model, const FolderContent& content, const AutoConfigOptions& options,
                      const Observer& observer) {
  const auto declared = image_input(model_inputs(model));
  if (!declared) {
    std::vector<std::string> ports;
    for (const Port& port : model_inputs(model)) ports.push_back(port.describe());
    throw DataError("data",
                    fmt::format("{}: {}, but the inputs of the model are {}; expected one input like f32 [?,3,224,224] "
                                "or [?,224,224,3]. Use arrays (.npy) with one row per sample",
                                content.root.string(), content.description, fmt::join(ports, ", ")));
  }
  const auto dataset = make_dataset(parse_component(content.evaluation, component_tables().datasets));
  const ImageSummary images = summarize_images(*dataset);
  const ImageInput input = with_fixed_size(*declared, images.sizes, is_classifier(model));
  std::vector<ImageStep> steps = normalizations(input, images.pixels);
  if (!options.normalization.empty()) steps = only(std::move(steps), options.normalization);
  const std::vector<ImageStep> sizes = image_sizes(input, images.sizes);
  SampleRunner runner(model, observer);
  const OutputEvidence evidence = output_evidence(model);
  const OutputRole role =
      role_with_any(candidates_for(input, content.evaluation, sizes.front(), steps), evidence, runner);
  const bool is_decision = role.kind == OutputRoleKind::Decision;
  const bool has_classes = role.kind == OutputRoleKind::Classes || is_decision;
  const RunCandidate run = [&](const PreprocessingCandidate& candidate, std::size_t count) {
    SampleOutputs outputs = runner.run(candidate.data, count);
    return is_decision ? with_both_scores(std::move(outputs)) : outputs;
  };
  const ImageStep whole = whole_image(input, images.sizes, role.kind == OutputRoleKind::Boxes);
  FoundData found = has_classes ? checked_images(input, content, sizes, steps, run)
                                : unchecked_images(input, content, whole, steps, runner);
  found.role = has_classes ? role : find_output_role(evidence, found.outputs);
  if (!has_classes && content.labels) {
    if (found.role.kind == OutputRoleKind::Embedding && found.outputs.shape.size() == 1)
      found.metric = "RecallAtK: 1";
    else
      found.warnings.push_back("the labels are not used, because the outputs of the model are not class scores");
  }
  found.samples = dataset->size();
  if (!content.calibration.empty()) found.calibration = DataText{content.calibration, found.evaluation.transforms};
  if (*declared != input)
    found.findings.push_back(
        fmt::format("input size     the model accepts any; {} x {} is used", input.height, input.width));
  return found;
}

}  // namespace lpot
