#include "lpot/metric/kinds.h"

namespace lpot {
namespace {

const std::vector<MetricKind>& kinds() {
  static const std::vector<MetricKind> all = [] {
    std::vector<MetricKind> list{topk_metric(), accuracy_metric(), mse_metric(), agreement_metric()};
    for (MetricKind& kind : unavailable_metrics()) list.push_back(std::move(kind));
    return list;
  }();
  return all;
}

}  // namespace

const Table& metrics() {
  static const Table table = table_of(kinds());
  return table;
}

std::unique_ptr<Metric> make_metric(const Component& component) {
  return make_component(kinds(), component, "metric");
}

}  // namespace lpot
