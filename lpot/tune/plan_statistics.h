// Stage "calibrate": the statistics that the plans of a search need.
//
//   const StatisticsByPlan statistics = calibrate(task, config, {}, observer);
//   const Statistics& of_first = statistics.of(first_plan(task.choices));
//
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "lpot/calibrate/statistics.h"
#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/distributed/batch_executor.h"
#include "lpot/store/study_record.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

class StudyCache;

// The statistics of each calibration pass. Plans differ in the sampling size (0 if there is only one) and in the
// recipes that rescale the model. Another thread may call `of` and `contains` while statistics are added.
class StatisticsByPlan {
 public:
  explicit StatisticsByPlan(std::map<StatisticsKey, Statistics> all = {}) : all_(std::move(all)) {}

  bool contains(const Plan&) const;
  const Statistics& of(const Plan&) const;  // throws std::out_of_range if `contains` is false
  const std::map<StatisticsKey, Statistics>& all() const { return all_; }
  void add(std::map<StatisticsKey, Statistics>);  // statistics that are there already stay

 private:
  std::map<StatisticsKey, Statistics> all_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // movable with this object
};

struct CalibrateOptions {
  std::shared_ptr<const BatchExecutor> executor = make_executor(nullptr);  // runs the pass
  StudyCache* cache = nullptr;  // of the study: stored statistics are read, new ones are stored
};

// One pass over the data with a snapshot for each sampling size, for the first recipes of the task. Nothing is
// calibrated if only weights are quantized. Throws DataError and ModelError.
StatisticsByPlan calibrate(const QuantizationTask&, const Config&, const CalibrateOptions&, const Observer&);

// One more pass if a plan has recipes that rescale the model differently. Adds the statistics. Returns whether any were
// added. Throws DataError and ModelError.
bool calibrate_for(const Plan&, StatisticsByPlan&, const QuantizationTask&, const Config&, const CalibrateOptions&,
                   const Observer&);

}  // namespace lpot
