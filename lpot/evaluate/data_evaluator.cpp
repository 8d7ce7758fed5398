#include "lpot/evaluate/evaluator.h"

namespace lpot {

DataEvaluator::DataEvaluator(DataLoader loader, std::vector<NamedMetric> metrics, EvaluateOptions options)
    : loader_(std::move(loader)), metrics_(std::move(metrics)), options_(std::move(options)) {}

Score DataEvaluator::baseline(const Model& fp32, const Observer& observer) {
  baseline_outputs_.clear();
  EvaluateOptions options = options_;
  options.keep_outputs = &baseline_outputs_;
  return evaluate(fp32, loader_, metrics_, options, observer);
}

Score DataEvaluator::score(const Model& model, const Observer& observer) {
  EvaluateOptions options = options_;
  options.baseline = &baseline_outputs_;
  return evaluate(model, loader_, metrics_, options, observer);
}

void DataEvaluator::prepare(const Model& fp32, const Observer& observer) {
  if (needs_baseline(metrics_) && baseline_outputs_.empty()) baseline(fp32, observer);
}

}  // namespace lpot
