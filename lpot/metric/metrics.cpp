#include <fmt/format.h>

#include "lpot/core/text.h"
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
  static const Table table = [] {
    Table entries;
    for (const MetricKind& kind : kinds()) entries.push_back(kind.entry);
    return entries;
  }();
  return table;
}

std::unique_ptr<Metric> make_metric(const Component& component) {
  const std::string place = component.place.file.empty() ? "" : to_string(component.place) + ": ";
  std::vector<std::string> names;
  for (const MetricKind& kind : kinds()) {
    names.push_back(kind.entry.name);
    if (kind.entry.name != component.name) continue;
    if (!kind.entry.refused.empty()) throw ConfigError(component.name, place + kind.entry.refused);
    return kind.make(component);
  }
  throw ConfigError(component.name, fmt::format("{}no such metric{}", place, did_you_mean(component.name, names)));
}

}  // namespace lpot
