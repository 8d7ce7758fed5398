#include "lpot/calibrate/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <thread>

#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/core/memory.h"
#include "lpot/runtime/runner.h"
#include "lpot/share/batches.h"

namespace lpot {
namespace {

// The model with the watched tensors as its only outputs, in the order of the points.
Model instrument(const Model& model, const std::vector<ObservationPoint>& points) {
  Model watched = model.clone();
  std::map<std::string, ov::Output<ov::Node>> tensors;
  for (const auto& node : watched.graph->get_ordered_ops())
    for (std::size_t i = 0; i < node->get_output_size(); ++i) tensors.emplace(tensor_name(*node, i), node->output(i));
  ov::OutputVector outputs;
  for (const ObservationPoint& point : points) {
    const auto found = tensors.find(point.tensor);
    if (found == tensors.end())
      throw ModelError("calibrate", fmt::format("the model has no tensor '{}'", point.tensor));
    outputs.push_back(found->second);
  }
  watched.graph = std::make_shared<ov::Model>(outputs, watched.graph->get_parameters());
  return watched;
}

// The samples of a batch: their numbers in the data and how many.
struct Samples {
  std::size_t first = 0;
  std::size_t count = 0;
};

// "sample 13" where the tensor has the batch in front, else all of the batch: "samples 12 to 15".
std::string name_samples(const Tensor& tensor, const Samples& samples) {
  std::size_t row = 0;
  const bool has_batch = samples.count > 1 && !tensor.shape().empty() && tensor.shape()[0] == samples.count;
  if (samples.count > 1 && !has_batch)
    return fmt::format("samples {} to {}", samples.first, samples.first + samples.count - 1);
  for (std::size_t i = 0; has_batch && i < tensor.size(); ++i) {
    if (std::isfinite(tensor.value_at(i))) continue;
    row = i / (tensor.size() / samples.count);
    break;
  }
  return fmt::format("sample {}", samples.first + row);
}

// Adds one batch's outputs; tensors are independent, so threads take one each in turn.
void add_outputs(std::vector<TensorStatistics>& statistics, const std::vector<Tensor>& outputs,
                 const std::vector<ObservationPoint>& points, const Samples& samples, int threads) {
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> errors(points.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < points.size(); i = next++) try {
        statistics[i].add(outputs[i], points[i].channel_axis);
      } catch (...) {
        errors[i] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!errors[i]) continue;
    try {
      std::rethrow_exception(errors[i]);
    } catch (const DataError& error) {
      throw DataError("calibrate", fmt::format("{}, tensor '{}': {}", name_samples(outputs[i], samples),
                                               points[i].tensor, error.what()));
    }
  }
}

Statistics by_name(const std::vector<TensorStatistics>& statistics, const std::vector<ObservationPoint>& points) {
  Statistics result;
  for (std::size_t i = 0; i < points.size(); ++i) result.emplace(points[i].tensor, statistics[i]);
  return result;
}

std::vector<std::size_t> positions(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> result(end - begin);
  for (std::size_t i = begin; i < end; ++i) result[i - begin] = i;
  return result;
}

// Inner tensors do not always have the batch in front, so rows that were filled up could not be cut out again.
// Every inference in flight keeps all watched tensors, which for a large model are hundreds of megabytes.
RunnerOptions runner_options(const Model& model, int threads) {
  return {.threads = threads, .streams = model.size_bytes >= kLargeModel ? 1 : 0, .fill_up = false};
}

// What a process of a crew tells of its batches: the channels of each, whose sums must be merged in order, and in the
// end one histogram of all.
class SharedObservation {
 public:
  SharedObservation(std::vector<ObservationPoint> points, int threads)
      : points_(std::move(points)), threads_(threads), histograms_(points_.size()) {}

  std::string of_batch(const RanBatch& batch) {
    std::vector<TensorStatistics> statistics(points_.size());
    add_outputs(statistics, batch.outputs, points_, {batch.first, batch.labels.size()}, threads_);
    if (batch.is_certain)
      for (std::size_t i = 0; i < points_.size(); ++i) {
        histograms_[i].merge(statistics[i].histogram_alone());
        statistics[i] = statistics[i].channels_alone();
      }
    return to_bytes(by_name(statistics, points_));
  }

  std::string last() const { return to_bytes(by_name(histograms_, points_)); }

 private:
  std::vector<ObservationPoint> points_;
  int threads_;
  std::vector<TensorStatistics> histograms_;
};

Digest digest_of(const std::shared_ptr<SharedObservation>& observation) {
  return {[observation](RanBatch batch) { return observation->of_batch(batch); },
          [observation] { return observation->last(); }};
}

void merge(std::vector<TensorStatistics>& statistics, const std::vector<ObservationPoint>& points,
           std::string_view bytes) {
  const Statistics parts = statistics_from_bytes(bytes);
  for (std::size_t i = 0; i < points.size(); ++i) statistics[i].merge(parts.at(points[i].tensor));
}

nlohmann::json order_for(const Model& model, const std::vector<ObservationPoint>& points, int threads) {
  nlohmann::json list = nlohmann::json::array();
  for (const ObservationPoint& point : points) list.push_back({point.tensor, point.channel_axis});
  return {{"work", kObserveOrder}, {"model", model_for_order(model)}, {"points", list}, {"asked_threads", threads}};
}

// Samples from `begin` to `end`, of `all` that are going to be read.
struct Pass {
  std::size_t begin = 0, end = 0, all = 0;
};

class Observation {
 public:
  Observation(const Model& model, const std::vector<ObservationPoint>& points, const DataLoader& loader,
              const ObserveOptions& options, const Observer& observer)
      : model_(model),
        points_(points),
        loader_(loader),
        options_(options),
        observer_(observer),
        threads_(options.crew ? options.crew->threads(options.threads) : thread_count(options.threads)),
        watched_(instrument(model, points)),
        runner_(watched_, loader.dataset().input_naming(), options_of_runner()),
        statistics_(points.size()) {}

  const std::vector<TensorStatistics>& statistics() const { return statistics_; }

  void count(const Pass& pass) {
    BatchStream batches = loader_.read(positions(pass.begin, pass.end));
    std::size_t counted = pass.begin;
    runner_.run(
        [&]() -> std::optional<std::vector<Tensor>> {
          observer_.check_stop();
          auto batch = batches.next();
          if (!batch) return std::nullopt;
          return std::move(batch->inputs);
        },
        [&](std::vector<Tensor> outputs) {
          const std::size_t first = counted;
          counted = std::min(pass.end, counted + loader_.options().batch_size);
          add_outputs(statistics_, outputs, points_, {first, counted - first}, threads_);
          observer_.progress("calibrate", counted, pass.all);
        });
  }

  // In all processes of the crew.
  void count_shared(const Pass& pass) {
    SharedBatches shared{.loader = loader_,
                         .runner = runner_,
                         .options = runner_options(model_, threads_),
                         .model = watched_,
                         .positions = positions(pass.begin, pass.end),
                         .digest = digest_of(std::make_shared<SharedObservation>(points_, threads_)),
                         .take = {}};
    std::size_t counted = pass.begin;
    shared.take = [&](std::span<const std::size_t> of_batch, std::string_view digest) {
      merge(statistics_, points_, digest);
      counted += of_batch.size();
      observer_.progress("calibrate", counted, pass.all);
      return true;
    };
    shared.take_last = [&](const std::string& histograms) { merge(statistics_, points_, histograms); };
    share_batches(*options_.crew, order_for(model_, points_, options_.threads), std::move(shared), observer_);
  }

 private:
  // One process is done with a batch before the next one begins; those of a crew may keep it.
  RunnerOptions options_of_runner() const {
    RunnerOptions runner = runner_options(model_, threads_);
    runner.borrow_outputs = !options_.crew;
    runner.observer = &observer_;
    return runner;
  }

  const Model& model_;
  const std::vector<ObservationPoint>& points_;
  const DataLoader& loader_;
  const ObserveOptions& options_;
  const Observer& observer_;
  int threads_;
  Model watched_;
  Runner runner_;
  std::vector<TensorStatistics> statistics_;
};

}  // namespace

std::string tensor_name(const ov::Node& producer, std::size_t output) {
  return producer.get_output_size() == 1 ? producer.get_friendly_name()
                                         : fmt::format("{}:{}", producer.get_friendly_name(), output);
}

Calibration observe(const Model& model, const std::vector<ObservationPoint>& points, const DataLoader& loader,
                    const ObserveOptions& options, const Observer& observer) {
  if (loader.size() == 0) throw DataError("calibrate", "the calibration data set is empty");
  std::vector<std::size_t> sizes = options.sampling_sizes;
  std::sort(sizes.begin(), sizes.end());
  for (std::size_t& size : sizes) size = std::min(size, loader.size());

  Calibration calibration;
  if (points.empty()) {
    calibration.snapshots.resize(sizes.size());
    return calibration;
  }
  Observation observation(model, points, loader, options, observer);
  for (const std::size_t size : sizes) {
    const Pass pass{calibration.samples, size, sizes.back()};
    if (options.crew)
      observation.count_shared(pass);
    else
      observation.count(pass);
    calibration.samples = size;
    calibration.snapshots.push_back(by_name(observation.statistics(), points));
  }
  return calibration;
}

Duty observe_work(const nlohmann::json& order, int rank, const Model& model, const DataLoader& loader) {
  std::vector<ObservationPoint> points;
  for (const nlohmann::json& point : order.at("points"))
    points.push_back({point.at(0).get<std::string>(), point.at(1).get<int>()});
  const int asked = order.at("asked_threads");
  const int threads = asked > 0 ? asked : order.at("threads").at(static_cast<std::size_t>(rank)).get<int>();
  const Model watched = instrument(model, points);
  return batch_work(order, rank, watched, loader, runner_options(model, threads),
                    digest_of(std::make_shared<SharedObservation>(points, threads)));
}

}  // namespace lpot
