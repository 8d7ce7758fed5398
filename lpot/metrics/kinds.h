// The metrics. Each is in its own file; metrics.cpp lists them.
//
// A new one needs:
// - its file NAME.cpp in this folder, with NAME_metric, which is declared here
// - its row in the table of metrics.cpp
// - its case in tests/metrics/test_every_metric.cpp and its test tests/metrics/test_NAME.cpp
// - `build/bin/lpot reference > docs/reference.md`
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/core/registry.h"
#include "lpot/metrics/metric.h"

namespace lpot {

using MetricKind = Kind<std::unique_ptr<Metric>>;

MetricKind accuracy_metric();
MetricKind agreement_metric();
MetricKind bleu_metric();
MetricKind cer_metric();
MetricKind box_agreement_metric();
MetricKind coco_map_metric();
MetricKind cosine_metric();
MetricKind f1_metric();
MetricKind glue_metric();
MetricKind loss_metric();
MetricKind mae_metric();
MetricKind map_metric();
MetricKind miou_metric();
MetricKind mse_metric();
MetricKind pixel_agreement_metric();
MetricKind recall_at_k_metric();
MetricKind rmse_metric();
MetricKind squad_exact_match_metric();
MetricKind squad_f1_metric();
MetricKind sts_metric();
MetricKind topk_metric();
MetricKind voc_map_metric();
MetricKind wer_metric();

// Casts `other` to the type of the metric that merges it. Throws Error if it is another metric.
template <typename Derived>
const Derived& same_kind(const Metric& other, std::string_view name) {
  if (const auto* same = dynamic_cast<const Derived*>(&other)) return *same;
  throw Error(name, "cannot be merged with another metric");
}

}  // namespace lpot
