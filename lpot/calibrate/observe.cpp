#include "lpot/calibrate/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <thread>

#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/core/memory.h"
#include "lpot/runtime/runner.h"

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
  const int threads = thread_count(options.threads);
  // Inner tensors do not always have the batch in front, so rows that were filled up could not be cut out again.
  // Every inference in flight keeps all watched tensors, which for a large model are hundreds of megabytes.
  Runner runner(instrument(model, points), loader.dataset().input_naming(),
                {.threads = threads,
                 .streams = model.size_bytes >= kLargeModel ? 1 : 0,
                 .fill_up = false,
                 .borrow_outputs = true});
  std::vector<TensorStatistics> statistics(points.size());
  for (const std::size_t size : sizes) {
    BatchStream batches = loader.read(positions(calibration.samples, size));
    std::size_t counted = calibration.samples;
    runner.run(
        [&]() -> std::optional<std::vector<Tensor>> {
          observer.check_stop();
          auto batch = batches.next();
          if (!batch) return std::nullopt;
          return std::move(batch->inputs);
        },
        [&](std::vector<Tensor> outputs) {
          const std::size_t first = counted;
          counted = std::min(size, counted + loader.options().batch_size);
          add_outputs(statistics, outputs, points, {first, counted - first}, threads);
          observer.progress("calibrate", counted, sizes.back());
        });
    calibration.samples = size;
    calibration.snapshots.push_back(by_name(statistics, points));
  }
  return calibration;
}

}  // namespace lpot
