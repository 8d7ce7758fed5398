#include "lpot/metric/kinds.h"

namespace lpot {
namespace {

MetricKind unavailable(const std::string& name, const std::string& summary, std::vector<Parameter> parameters = {},
                       const std::string& shorthand = "") {
  return {{.name = name,
           .summary = summary,
           .parameters = std::move(parameters),
           .shorthand = shorthand,
           .refused =
               "not available yet in this version; evaluation.accuracy.command takes any program that prints a number"},
          nullptr};
}

Parameter optional(const std::string& name, ValueKind kind, const std::string& default_value = "") {
  return {.name = name, .kind = kind, .default_value = default_value};
}

std::vector<Parameter> detection() {
  return {optional("anno_path", ValueKind::Path), optional("iou_thrs", ValueKind::Text, "0.5"),
          optional("map_points", ValueKind::Integer, "0")};
}

}  // namespace

std::vector<MetricKind> unavailable_metrics() {
  const Parameter compare_label = optional("compare_label", ValueKind::Flag, "true");
  return {
      unavailable("RMSE", "root of the mean squared error; lower is better", {compare_label}),
      unavailable("MAE", "mean absolute error; lower is better", {compare_label}),
      unavailable("Loss", "mean of the model's loss; lower is better"),
      unavailable("F1", "harmonic mean of precision and recall"),
      unavailable("mAP", "mean average precision of detections", detection()),
      unavailable("COCOmAP", "mean average precision as COCO counts it", detection()),
      unavailable("VOCmAP", "mean average precision as Pascal VOC counts it", detection()),
      unavailable("mIOU", "mean intersection over union", {optional("num_classes", ValueKind::Integer, "21")},
                  "num_classes"),
      unavailable("BLEU", "likeness of translations"),
      unavailable("SquadF1", "F1 of SQuAD answers, 0..100"),
      unavailable("GLUE", "the metric of a GLUE task", {optional("task", ValueKind::Text, "mrpc")}, "task"),
  };
}

}  // namespace lpot
