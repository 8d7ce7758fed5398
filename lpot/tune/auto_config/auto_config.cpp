#include "lpot/tune/auto_config/auto_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/version.h"
#include "lpot/data/folder_content.h"
#include "lpot/tune/auto_config/array_match.h"
#include "lpot/tune/auto_config/box_trial.h"
#include "lpot/tune/auto_config/config_text.h"
#include "lpot/tune/auto_config/found_data.h"

namespace lpot {
namespace {

constexpr std::size_t kCalibrationBatch = 10, kEvaluationBatch = 32;
constexpr std::size_t kCalibrationLimit = 300;  // samples

std::string_view framework_of(const Model& model) {
  return model.format == ModelFormat::Paddle ? "auto" : to_string(model.format);
}

std::string ports_text(const std::vector<Port>& ports) {
  std::vector<std::string> texts;
  for (const Port& port : ports) texts.push_back(port.describe());
  return fmt::format("{}", fmt::join(texts, ", "));
}

FoundData find_data(const Model& model, const FolderContent& content, const AutoConfigOptions& options,
                    const Observer& observer) {
  switch (content.kind) {
    case FolderKind::Images:
      return find_images(model, content, options, observer);
    case FolderKind::Sounds:
      return find_sounds(model, content, options, observer);
    case FolderKind::Arrays:
      return find_arrays(model, content, observer);
    case FolderKind::Sentences:
    case FolderKind::Texts:
      break;
  }
  return find_sentences(model, content, options, observer);
}

// Different samples for calibration and evaluation if possible.
void divide_samples(const FoundData& data, ConfigText& config, AutoConfig& result) {
  config.evaluation.data = data.evaluation;
  config.calibration.data = data.evaluation;
  config.calibration.shuffle = true;
  if (data.calibration) {
    config.calibration.data = *data.calibration;
    config.calibration_samples = kCalibrationLimit;
    result.findings.push_back(
        fmt::format("samples        {} samples for evaluation; calibration has its own data", data.samples));
    return;
  }
  const auto share = calibration_share(data.samples);
  if (!share) {
    config.calibration_samples = data.samples;
    result.warnings.push_back(
        fmt::format("{} samples are too few to divide: calibration and evaluation use the same ones, so the measured "
                    "accuracy may be too high",
                    data.samples));
    return;
  }
  config.calibration.subset = Subset{0, *share};
  config.evaluation.subset = Subset{*share, 1};
  config.calibration_samples =
      std::min(kCalibrationLimit, static_cast<std::size_t>(std::llround(*share * static_cast<double>(data.samples))));
  result.findings.push_back(fmt::format("samples        {:.0f} for calibration and the other {:.0f} for evaluation",
                                        *share * static_cast<double>(data.samples),
                                        (1 - *share) * static_cast<double>(data.samples)));
}

// In words, for a metric that find_images or find_sentences chose.
std::string meaning_of(const std::string& metric) {
  if (metric.starts_with("RecallAtK")) return "share of samples whose nearest neighbor has the same class";
  if (metric.starts_with("STS"))
    return "rank correlation of the cosine of two sentences with their labelled similarity";
  return "the metric of this task";
}

MetricText metric_of(const FoundData& data, double max_loss) {
  if (!data.metric.empty())
    return {data.metric, {.relative = true, .tolerance = max_loss}, meaning_of(data.metric), ""};
  MetricText metric = choose_metric(data.role, {data.uses_labels, max_loss, data.outputs.variance});
  if (data.uses_labels && data.label_offset != 0)
    metric.postprocess = fmt::format("LabelShift: {}", -data.label_offset);
  return metric;
}

}  // namespace

AutoConfig auto_config(const Model& model, const AutoConfigOptions& options, const Observer& observer) {
  const FolderContent content = inspect_folder(options.data);
  FoundData data = find_data(model, content, options, observer);
  CheckedRole checked = check_boxes(std::move(data.role), data.outputs);
  data.role = std::move(checked.role);
  if (!checked.warning.empty()) data.warnings.push_back(std::move(checked.warning));
  AutoConfig result;
  result.findings = {
      fmt::format("model          {} -> {}", ports_text(model_inputs(model)), ports_text(model_outputs(model))),
      fmt::format("data           {}: {}", content.root.string(), content.description)};
  for (const std::string& note : content.notes) result.findings.push_back("labels         " + note);
  for (std::string& line : data.findings) result.findings.push_back(std::move(line));
  result.warnings = std::move(data.warnings);
  if (!data.outputs.has_row_per_sample && data.role.kind != OutputRoleKind::Boxes)
    result.warnings.push_back(
        fmt::format("the first output, {}, does not have one row per sample, so no metric can compare it. For a text "
                    "recognizer with the layout [steps,samples,characters], use CER after the postprocess CTC with "
                    "layout: TNC; else set model.outputs",
                    model_outputs(model).at(0).describe()));
  ConfigText config{
      .comments = {}, .model_name = model.source.stem().string(), .framework = std::string(framework_of(model))};
  const std::vector<Port> inputs = model_inputs(model);
  config.calibration.batch_size = accepted_batch(inputs, kCalibrationBatch);
  config.evaluation.batch_size = accepted_batch(inputs, kEvaluationBatch);
  divide_samples(data, config, result);
  config.metric = metric_of(data, options.max_loss);
  result.findings.push_back(fmt::format("output         {} ({})", describe(data.role.kind), data.role.evidence));
  result.findings.push_back(fmt::format("metric         {}: {}", config.metric.metric, config.metric.meaning));
  config.comments.push_back(
      fmt::format("Written by lpot {} from a model and a folder of data. Edit it and run:", kVersion));
  config.comments.push_back(fmt::format("  lpot tune THIS_FILE --model {}", model.source.string()));
  for (const std::string& line : result.findings) config.comments.push_back(line);
  for (const std::string& warning : result.warnings) config.comments.push_back("WARNING: " + warning);
  result.text = to_yaml(config);
  return result;
}

std::vector<std::string> normalization_names() {
  std::vector<std::string> names;
  for (const ImageStep& step : normalizations({}, {})) names.push_back(step.key);
  return names;
}

}  // namespace lpot
