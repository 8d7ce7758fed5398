#include "lpot/calibrate/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <numeric>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/core/large_models.h"
#include "lpot/core/parallel.h"
#include "lpot/distributed/batch_worker.h"
#include "lpot/model/bodies.h"

namespace lpot {
namespace {

// A model with the observed tensors as its outputs, in the order of the points. The outputs of its state follow.
struct InstrumentedModel {
  Model model;
  std::vector<ObservationPoint> points;  // of its outputs; without tensors whose values cannot leave their body
};

// The axis of the channels in a tensor with more leading dimensions.
int shifted_axis(int axis, std::size_t dimensions) {
  return axis < 0 || axis == kNoChannels ? axis : axis + static_cast<int>(dimensions);
}

InstrumentedModel instrument(const Model& model, const std::vector<ObservationPoint>& points) {
  InstrumentedModel result{model.clone(), {}};
  Model& watched = result.model;
  std::map<std::string, ov::Output<ov::Node>> tensors;
  for (const auto& node : all_ops(*watched.graph))
    for (std::size_t i = 0; i < node->get_output_size(); ++i) tensors.emplace(tensor_name(*node, i), node->output(i));
  BodyOutputs body_outputs(*watched.graph);
  ov::OutputVector outputs;
  for (const ObservationPoint& point : points) {
    const auto found = tensors.find(point.tensor);
    if (found == tensors.end())
      throw ModelError("calibrate", fmt::format("tensor '{}': not found in the model", point.tensor));
    const auto exposed = body_outputs.expose(found->second);
    if (!exposed) continue;
    outputs.push_back(exposed->tensor);
    result.points.push_back(
        {point.tensor, shifted_axis(point.channel_axis, exposed->iteration_axes), point.is_optional});
  }
  for (StateBinding& bound : watched.state) {
    outputs.push_back(watched.graph->get_results().at(bound.output)->input_value(0));
    bound.output = outputs.size() - 1;
  }
  watched.graph = with_outputs(*watched.graph, outputs);
  return result;
}

// The samples of a batch: their numbers in the data and how many.
struct Samples {
  std::size_t first = 0;
  std::size_t count = 0;
};

// "sample 13" if the first dimension of the tensor is the batch, otherwise the whole batch: "samples 12 to 15".
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

// Rethrows an error of TensorStatistics::add with the place of the value.
[[noreturn]] void rethrow(const std::exception_ptr& error, const std::string& samples, const std::string& tensor) {
  try {
    std::rethrow_exception(error);
  } catch (const DataError& found) {
    throw DataError("calibrate", fmt::format("{}, tensor '{}': {}", samples, tensor, found.what()));
  }
}

// The statistics of all observation points, in their order. Nothing for optional points with a value that is not
// finite.
class PointStatistics {
 public:
  explicit PointStatistics(std::vector<ObservationPoint> points)
      : points_(std::move(points)), all_(points_.size(), TensorStatistics()) {}

  // Adds the outputs of one batch. Tensors are independent, so the threads share them.
  void add(const std::vector<Tensor>& outputs, const Samples& samples, int threads) {
    std::vector<std::exception_ptr> errors(points_.size());
    for_each_index(points_.size(), threads, [&](std::size_t i) {
      try {
        if (all_[i]) all_[i]->add(outputs[i], points_[i].channel_axis);
      } catch (const DataError&) {
        if (points_[i].is_optional)
          all_[i].reset();
        else
          errors[i] = std::current_exception();
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
    // The error of the first tensor is reported, whichever thread finds its error first.
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (errors[i]) rethrow(errors[i], name_samples(outputs[i], samples), points_[i].tensor);
  }

  // Moves the histograms out; the channel sums remain.
  PointStatistics split_histograms() {
    PointStatistics histograms(points_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!all_[i]) continue;
      histograms.all_[i] = all_[i]->histogram_only();
      all_[i] = all_[i]->channels_only();
    }
    return histograms;
  }

  void merge(const PointStatistics& other) {
    for (std::size_t i = 0; i < points_.size(); ++i) merge(all_[i], other.all_[i] ? &*other.all_[i] : nullptr);
  }
  void merge(std::string_view bytes) {
    const Statistics parts = statistics_from_bytes(bytes);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto part = parts.find(points_[i].tensor);
      merge(all_[i], part == parts.end() ? nullptr : &part->second);
    }
  }

  Statistics by_name() const {
    Statistics result;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (all_[i]) result.emplace(points_[i].tensor, *all_[i]);
    return result;
  }

 private:
  // `part`: nullptr if a value was not finite.
  static void merge(std::optional<TensorStatistics>& whole, const TensorStatistics* part) {
    if (!part)
      whole.reset();
    else if (whole)
      whole->merge(*part);
  }

  std::vector<ObservationPoint> points_;
  std::vector<std::optional<TensorStatistics>> all_;
};

std::vector<std::size_t> consecutive(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> positions(end - begin);
  std::iota(positions.begin(), positions.end(), begin);
  return positions;
}

// The batch is not the first dimension of every inner tensor, so rows that fill up a batch could not be removed. Every
// running inference holds all observed tensors, which are hundreds of megabytes for a large model.
RunnerOptions runner_options(const Model& model, int threads) {
  return {.threads = threads, .streams = model.size_bytes >= kLargeModel ? 1 : 0, .pad_last_batch = false};
}

Samples samples_of(std::span<const std::size_t> positions) { return {positions.front(), positions.size()}; }

// Sends the channel sums of each batch, which must be merged in order, and one histogram of all batches at the end.
class ObservationEncoder : public BatchEncoder {
 public:
  ObservationEncoder(std::vector<ObservationPoint> points, int threads)
      : points_(std::move(points)), threads_(threads), histograms_(points_) {}

  std::string encode(ExecutedBatch batch) override {
    PointStatistics statistics(points_);
    statistics.add(batch.outputs, samples_of(batch.positions), threads_);
    if (batch.is_final) histograms_.merge(statistics.split_histograms());
    return to_bytes(statistics.by_name());
  }

  std::string summary() override { return to_bytes(histograms_.by_name()); }

 private:
  const std::vector<ObservationPoint> points_;
  const int threads_;
  PointStatistics histograms_;
};

// Collects the statistics of all passes of one calibration.
class Observation : public BatchCollector {
 public:
  // The arguments must outlive this object. The last sampling size is the number of samples of all passes.
  Observation(const Model& model, const std::vector<ObservationPoint>& points, const ObserveOptions& options,
              const Observer& observer)
      : model_(instrument(model, points)),
        reference_(model_reference(model)),
        points_(points),
        requested_threads_(options.threads),
        threads_(options.executor->threads(options.threads)),
        observer_(observer),
        total_(options.sampling_sizes.empty() ? 0 : options.sampling_sizes.back()),
        statistics_(model_.points) {}

  bool has_outputs() const { return !model_.points.empty(); }

  BatchProgram program(const DataLoader& loader) const {
    RunnerOptions runner = runner_options(model_.model, threads_);
    runner.borrow_outputs = true;
    runner.observer = &observer_;
    return {.model = model_.model, .loader = loader, .runner = runner, .with_labels = false};
  }

  void add(ExecutedBatch batch) override {
    statistics_.add(batch.outputs, samples_of(batch.positions), threads_);
    report(batch.positions.size());
  }

  nlohmann::json worker_order() const override {
    nlohmann::json points = nlohmann::json::array();
    for (const ObservationPoint& point : points_)
      points.push_back({point.tensor, point.channel_axis, point.is_optional});
    return {
        {"work", kObserveOrder}, {"model", reference_}, {"points", points}, {"requested_threads", requested_threads_}};
  }
  std::unique_ptr<BatchEncoder> make_encoder() const override {
    return std::make_unique<ObservationEncoder>(model_.points, threads_);
  }
  void add_encoded(std::span<const std::size_t> positions, std::string_view bytes) override {
    statistics_.merge(bytes);
    report(positions.size());
  }
  void add_summary(std::string_view bytes) override { statistics_.merge(bytes); }

  // Without tensors that had no values.
  Statistics snapshot() const {
    Statistics all = statistics_.by_name();
    std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
    return all;
  }

 private:
  void report(std::size_t count) {
    samples_ += count;
    observer_.progress("calibrate", samples_, total_);
  }

  const InstrumentedModel model_;
  const nlohmann::json reference_;  // of the model without observed outputs
  const std::vector<ObservationPoint>& points_;
  const int requested_threads_, threads_;
  const Observer& observer_;
  const std::size_t total_;
  std::size_t samples_ = 0;
  PointStatistics statistics_;
};

}  // namespace

std::string tensor_name(const ov::Node& producer, std::size_t output) {
  return producer.get_output_size() == 1 ? producer.get_friendly_name()
                                         : fmt::format("{}:{}", producer.get_friendly_name(), output);
}

std::string tensor_name(const ov::Output<ov::Node>& tensor) {
  return tensor_name(*tensor.get_node(), tensor.get_index());
}

Calibration observe(const Model& model, const std::vector<ObservationPoint>& points, const DataLoader& loader,
                    const ObserveOptions& options, const Observer& observer) {
  if (loader.size() == 0) throw DataError("calibrate", "the calibration data set is empty");
  ObserveOptions resolved = options;
  std::vector<std::size_t>& sizes = resolved.sampling_sizes;
  std::sort(sizes.begin(), sizes.end());
  for (std::size_t& size : sizes) size = std::min(size, loader.size());

  Calibration calibration;
  if (points.empty()) {
    calibration.snapshots.resize(sizes.size());
    return calibration;
  }
  Observation observation(model, points, resolved, observer);
  if (!observation.has_outputs()) {
    calibration.snapshots.resize(sizes.size());
    return calibration;
  }
  const std::unique_ptr<BatchSession> session = options.executor->open(observation.program(loader));
  for (const std::size_t size : sizes) {
    session->run({.positions = consecutive(calibration.samples, size)}, observation, observer);
    calibration.samples = size;
    calibration.snapshots.push_back(observation.snapshot());
  }
  return calibration;
}

WorkerTask observe_task(const nlohmann::json& order, int rank, const Model& model, const DataLoader& loader) {
  std::vector<ObservationPoint> points;
  for (const nlohmann::json& point : order.at("points"))
    points.push_back({point.at(0).get<std::string>(), point.at(1).get<int>(), point.at(2).get<bool>()});
  const int requested = order.at("requested_threads");
  const int threads = requested > 0 ? requested : order.at("threads").at(static_cast<std::size_t>(rank)).get<int>();
  const InstrumentedModel instrumented = instrument(model, points);
  const BatchProgram program{
      .model = instrumented.model, .loader = loader, .runner = runner_options(model, threads), .with_labels = false};
  return make_batch_task(order, rank, program, std::make_shared<ObservationEncoder>(instrumented.points, threads));
}

}  // namespace lpot
