#include "lpot/tune/plan_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lpot/calibrate/observe.h"
#include "lpot/core/large_models.h"
#include "lpot/quantize/graph/onnx_runtime_reads.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/resolve.h"
#include "lpot/tune/study_cache.h"
#include "lpot/tune/worker.h"

namespace lpot {
namespace {

using AllStatistics = std::map<StatisticsKey, Statistics>;

StatisticsKey key_for(const Recipes& recipes, std::size_t sampling_size) {
  return {sampling_size, rescaling_part(recipes, recipe_declarations())};
}

// One pass over the data of the model, or of the model that the recipes of `key` rescale.
AllStatistics observe_all_sizes(const QuantizationTask& task, const Config& config, const Recipes& rescaling,
                                const std::shared_ptr<const BatchExecutor>& executor, const Observer& observer) {
  std::vector<std::size_t> sizes = config.quantization.sampling_sizes;
  std::sort(sizes.begin(), sizes.end());
  if (sizes.back() > task.calibration.size())
    observer.log(LogLevel::Warning, fmt::format("quantization.calibration.sampling_size is {}, but the calibration "
                                                "data have only {} samples, so all of them are used",
                                                sizes.back(), task.calibration.size()));
  Model model = rescaling.empty() ? task.model : rescaled(task.model, rescaling);
  if (!rescaling.empty()) model.derivation = derivation_of(rescaling);
  std::vector<ObservationPoint> points = observation_points(task.model);
  if (rescaling.flag("onnx_runtime")) {
    std::set<std::string> more = tensors_of_onnx_runtime(task.model);
    for (const ObservationPoint& known : points) more.erase(known.tensor);
    for (const std::string& tensor : more) points.push_back({tensor, 1, true});
  }
  Calibration calibration =
      observe(model, points, task.calibration, {.sampling_sizes = sizes, .executor = executor}, observer);
  release_freed_memory();
  AllStatistics found;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    found.emplace(StatisticsKey{sizes.size() == 1 ? 0 : sizes[i], rescaling}, std::move(calibration.snapshots[i]));
  return found;
}

// The statistics of these recipes, from the cache or measured.
AllStatistics statistics_for(const Recipes& recipes, const QuantizationTask& task, const Config& config,
                             const CalibrateOptions& options, const Observer& observer) {
  AllStatistics all;
  for (const std::size_t size : task.choices.sampling_sizes) {
    const StatisticsKey key = key_for(recipes, size);
    if (all.contains(key)) continue;
    if (is_dynamic(config)) {
      all[key] = {};
    } else if (const auto known = options.cache ? options.cache->statistics(key) : std::nullopt) {
      all.emplace(key, statistics_from_bytes(*known));
    } else {
      for (auto& [measured, statistics] : observe_all_sizes(task, config, key.rescaling, options.executor, observer)) {
        if (options.cache) options.cache->store_statistics(measured, to_bytes(statistics));
        all.emplace(measured, std::move(statistics));
      }
    }
  }
  return all;
}

}  // namespace

bool StatisticsByPlan::contains(const Plan& plan) const {
  const std::lock_guard lock(*mutex_);
  return all_.contains(key_for(plan.recipes, plan.sampling_size));
}

const Statistics& StatisticsByPlan::of(const Plan& plan) const {
  const std::lock_guard lock(*mutex_);
  return all_.at(key_for(plan.recipes, plan.sampling_size));
}

void StatisticsByPlan::add(std::map<StatisticsKey, Statistics> more) {
  const std::lock_guard lock(*mutex_);
  all_.merge(more);
}

StatisticsByPlan calibrate(const QuantizationTask& task, const Config& config, const CalibrateOptions& options,
                           const Observer& observer) {
  return StatisticsByPlan(statistics_for(task.choices.recipes.front(), task, config, options, observer));
}

bool calibrate_for(const Plan& plan, StatisticsByPlan& statistics, const QuantizationTask& task, const Config& config,
                   const CalibrateOptions& options, const Observer& observer) {
  if (plan.int8_count() == 0 || statistics.contains(plan)) return false;
  statistics.add(statistics_for(plan.recipes, task, config, options, observer));
  return true;
}

}  // namespace lpot
