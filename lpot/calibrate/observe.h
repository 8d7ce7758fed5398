// Collects statistics of a model's tensors in one streaming pass over the calibration data.
//
//   Calibration calibration = observe(model, {{"conv1", 1}}, loader, {.sampling_sizes = {100}});
//   const Statistics& statistics = calibration.snapshots.back();
//
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/distributed/batch_executor.h"
#include "lpot/distributed/jobs.h"
#include "lpot/model/model.h"

namespace ov {
template <typename NodeType>
class Output;
}  // namespace ov

namespace lpot {

// A tensor to observe and the axis of its channels.
struct ObservationPoint {
  std::string tensor;        // see tensor_name
  int channel_axis = 1;      // negative: counted from the end
  bool is_optional = false;  // gets no statistics if a value is not finite, instead of an error
};

// The name of a tensor: the name of its producer, followed by the output's number if there are several ("split:1").
std::string tensor_name(const ov::Node& producer, std::size_t output);
std::string tensor_name(const ov::Output<ov::Node>&);

struct ObserveOptions {
  std::vector<std::size_t> sampling_sizes = {100};  // a snapshot of the statistics is returned for each
  int threads = 0;                                  // 0: all threads of the executor
  std::shared_ptr<const BatchExecutor> executor = std::make_shared<LocalExecutor>();  // does not change the statistics
};

struct Calibration {
  std::vector<Statistics> snapshots;  // one per sampling size, in increasing order
  std::size_t samples = 0;  // number of samples read; less than the largest sampling size if there is less data
};

// Tensors in a branch of an If that no sample takes have no statistics, and so have tensors whose values cannot leave
// their body (BodyOutputs in model/bodies.h). Throws DataError if there is no data or a value of a point that is not
// optional is not finite (the message names tensor and sample), and ModelError.
Calibration observe(const Model&, const std::vector<ObservationPoint>&, const DataLoader&, const ObserveOptions&,
                    const Observer& = {});

// The task of a worker for an order of `observe`.
WorkerTask observe_task(const nlohmann::json& order, int rank, const Model&, const DataLoader&);
inline constexpr const char* kObserveOrder = "calibrate";  // "work" of that order

}  // namespace lpot
