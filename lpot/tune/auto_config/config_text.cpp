#include "lpot/tune/auto_config/config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/data/folder_content.h"

namespace lpot {
namespace {

constexpr double kCalibrationSamples = 300;
constexpr double kLeastCalibrationSamples = 16;  // fewer make ranges depend on single samples
constexpr double kCalibrationShare = 0.2, kLargestShare = 1.0 / 3;
constexpr std::size_t kLeastToDivide = 8;

std::string loader_lines(const LoaderText& loader) {
  std::string text = fmt::format("    dataloader:\n      batch_size: {}\n", loader.batch_size);
  if (loader.shuffle) text += "      shuffle: true\n";
  if (loader.subset)
    text += fmt::format("      subset: [{:.6g}, {:.6g}]   # of a fixed random order of the samples\n",
                        loader.subset->from, loader.subset->to);
  text += fmt::format("      dataset:\n        {}\n", loader.data.dataset);
  if (loader.data.transforms.empty()) return text;
  text += "      transform:\n";
  for (const std::string& transform : loader.data.transforms) text += fmt::format("        {}\n", transform);
  return text;
}

// Rows of one length are embeddings, which have no predicted class.
bool are_unit_vectors(const std::vector<OutputRow>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const OutputRow& row) {
                       double squares = 0;
                       for (const double value : row) squares += value * value;
                       return std::abs(squares - 1) < 1e-2;
                     }) &&
         !std::all_of(rows.begin(), rows.end(), [](const OutputRow& row) {  // of a certain classifier
           return std::all_of(row.begin(), row.end(), [](double value) { return value >= 0; });
         });
}

}  // namespace

std::string to_yaml(const ConfigText& config) {
  std::string text;
  for (const std::string& comment : config.comments) text += "# " + comment + "\n";
  text += fmt::format(
      "model:\n  name: {}\n  framework: {}\n\nquantization:\n  calibration:\n    sampling_size: {}\n{}"
      "\nevaluation:\n  accuracy:\n    metric:\n      {}   # {}\n",
      yaml_text(config.model_name), config.framework, config.calibration_samples, loader_lines(config.calibration),
      config.metric.metric, config.metric.meaning);
  if (!config.metric.postprocess.empty())
    text += fmt::format("    postprocess:\n      transform:\n        {}\n", config.metric.postprocess);
  text += loader_lines(config.evaluation);
  text +=
      fmt::format("\ntuning:\n  strategy:\n    name: auto\n  accuracy_criterion:\n    {}\n", config.metric.criterion);
  return text;
}

MetricText choose_metric(const SampleOutputs& outputs, bool has_labels, double max_loss) {
  const std::string relative = fmt::format("relative: {:.6g}", max_loss);
  if (has_labels && outputs.has_classes())
    return {"topk: 1", relative, "share of samples whose label has the highest score (top-1)"};
  if (outputs.has_classes() && !are_unit_vectors(outputs.rows))
    return {"Agreement: {}", relative,
            "share of samples for which int8 and fp32 predict the same class; no labels needed"};
  return {"MSE: {compare_label: false}", fmt::format("absolute: {:.4g}", max_loss * outputs.variance),
          fmt::format("mean squared difference from the fp32 output; the goal is {:.4g} of its variance", max_loss)};
}

std::optional<double> calibration_share(std::size_t samples) {
  if (samples < kLeastToDivide) return std::nullopt;
  const auto count = static_cast<double>(samples);
  const double wanted = std::min(kCalibrationSamples, std::max(kCalibrationShare * count, kLeastCalibrationSamples));
  return std::ceil(std::min(wanted / count, kLargestShare) * 1e4) / 1e4;
}

}  // namespace lpot
