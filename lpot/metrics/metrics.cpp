#include "lpot/metrics/kinds.h"

namespace lpot {
namespace {

const std::vector<MetricKind>& kinds() {
  static const std::vector<MetricKind> all{topk_metric(),
                                           accuracy_metric(),
                                           f1_metric(),
                                           loss_metric(),
                                           mse_metric(),
                                           rmse_metric(),
                                           mae_metric(),
                                           map_metric(),
                                           coco_map_metric(),
                                           voc_map_metric(),
                                           miou_metric(),
                                           bleu_metric(),
                                           glue_metric(),
                                           squad_f1_metric(),
                                           squad_exact_match_metric(),
                                           agreement_metric(),
                                           box_agreement_metric(),
                                           pixel_agreement_metric(),
                                           cosine_metric(),
                                           sts_metric(),
                                           recall_at_k_metric(),
                                           cer_metric(),
                                           wer_metric()};
  return all;
}

}  // namespace

const Table& metrics() {
  static const Table table = table_of(kinds());
  return table;
}

std::string metric_name(const Component& component) {
  std::string name = component.name;
  const Entry* entry = find(metrics(), component.name);
  if (!entry) return name;
  for (const Parameter& parameter : entry->parameters) {
    const auto found = component.parameters.all().find(parameter.name);
    if (found == component.parameters.all().end() || parameter.kind == ValueKind::Path) continue;
    const std::string text = Parameters({{parameter.name, found->second}}).describe();  // "k=5"
    const std::string value = text.substr(parameter.name.size() + 1);
    if (parameter.name == entry->shorthand)
      name += " " + value;
    else if (value != parameter.default_value)
      name += " " + text;
  }
  return name;
}

std::unique_ptr<Metric> make_metric(const Component& component) { return make_component(kinds(), component, "metric"); }

}  // namespace lpot
