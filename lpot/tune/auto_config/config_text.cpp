#include "lpot/tune/auto_config/config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/data/folder_content.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/metrics/metric.h"

namespace lpot {
namespace {

constexpr double kCalibrationSamples = 300;
constexpr double kLeastCalibrationSamples = 16;  // fewer make ranges depend on single samples
constexpr double kCalibrationShare = 0.2, kLargestShare = 1.0 / 3;
constexpr std::size_t kLeastToDivide = 8;  // samples; fewer are not divided

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

// If less than this share of a mask's values is on one side of the threshold, masks are compared by the overlap of the
// sides, because the rare side would hardly change the share of equal values.
constexpr double kRareSide = 0.2;

std::string criterion_text(const Criterion& criterion) {
  return criterion.relative ? fmt::format("relative: {:.6g}", criterion.tolerance)
                            : fmt::format("absolute: {:.4g}", criterion.tolerance);
}

bool has_metric(const char* name) { return find(metrics(), name) != nullptr; }

// Metrics whose value for the fp32 model itself is 1.
MetricText compared_with_fp32(const OutputRole& role) {
  using enum OutputRoleKind;
  const std::string sides = fmt::format("the same side of {:g} as for fp32; no labels needed", role.threshold);
  switch (role.kind) {
    case Classes:
      return {"Agreement: {}", {}, "share of samples for which int8 and fp32 predict the same class; no labels needed"};
    case ClassIndex:
      return {"PixelAgreement: {class_axis: none}",
              {},
              "share of samples for which int8 and fp32 predict the same class; no labels needed"};
    case Decision:
      return {fmt::format("PixelAgreement: {{class_axis: none, threshold: {:g}}}", role.threshold),
              {},
              "share of samples on " + sides};
    case Embedding:
      return {"Cosine: {}", {}, "mean cosine similarity of the int8 and fp32 embeddings; no labels needed"};
    case Map:
      return {fmt::format("PixelAgreement: {{class_axis: {}}}", role.class_axis),
              {},
              "share of pixels with the same class in int8 and fp32; no labels needed"};
    case Steps:
      return {fmt::format("PixelAgreement: {{class_axis: {}}}", role.class_axis),
              {},
              "share of steps with the same class in int8 and fp32; no labels needed. For texts, CER after the "
              "postprocess CTC says more"};
    case Mask:
    case Labels:
      if (std::min(role.share_above, 1 - role.share_above) < kRareSide && !role.has_two_channels)
        return {fmt::format("mIOU: {{num_classes: 2, threshold: {:g}, compare_label: false}}", role.threshold),
                {},
                fmt::format("mean overlap of the values above and below {:g} in int8 and fp32 (intersection over "
                            "union); no labels needed",
                            role.threshold)};
      return {fmt::format("PixelAgreement: {{class_axis: {}, threshold: {:g}}}", role.class_axis, role.threshold),
              {},
              "share of values on " + sides};
    case Boxes:
      if (has_metric("BoxAgreement") && find(postprocesses(), "Boxes"))
        return {"BoxAgreement: {}",
                {},
                "mean average precision of the int8 boxes against those of fp32; no labels needed",
                "Boxes: " + role.box_parameters};
      break;
    case Values:
      break;
  }
  return {};
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
  text += fmt::format("\ntuning:\n  strategy:\n    name: auto\n  accuracy_criterion:\n    {}\n",
                      criterion_text(config.metric.criterion));
  return text;
}

MetricText choose_metric(const OutputRole& role, const MetricRequest& request) {
  const Criterion relative{.relative = true, .tolerance = request.max_loss};
  if (request.has_labels && role.kind == OutputRoleKind::Classes)
    return {"topk: 1", relative, "share of samples whose label has the highest score (top-1)"};
  if (request.has_labels && role.kind == OutputRoleKind::Decision)
    return {"Accuracy: {}", relative, "share of samples whose score is on the side of 0.5 that the label says"};
  MetricText metric = compared_with_fp32(role);
  metric.criterion = relative;
  if (!metric.metric.empty()) return metric;
  return {"MSE: {compare_label: false}",
          {.relative = false, .tolerance = request.max_loss * request.variance},
          fmt::format("mean squared difference from the fp32 output; the goal is {:.4g} of its variance",
                      request.max_loss)};
}

std::optional<double> calibration_share(std::size_t samples) {
  if (samples < kLeastToDivide) return std::nullopt;
  const auto count = static_cast<double>(samples);
  const double wanted = std::min(kCalibrationSamples, std::max(kCalibrationShare * count, kLeastCalibrationSamples));
  return std::ceil(std::min(wanted / count, kLargestShare) * 1e4) / 1e4;
}

}  // namespace lpot
