#include "lpot/tune/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lpot/core/error.h"
#include "lpot/core/memory.h"
#include "lpot/model/save.h"
#include "lpot/runtime/fit.h"
#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

constexpr double kShareForSpeed = 0.02;  // of the time of an evaluation
constexpr double kBriefly = 0.2;         // of that share, for a speed that decides nothing,
constexpr int kBriefRuns = 3;            // and the runs that it is at least
constexpr int kRuns = 7;                 // at least, for one that does

std::size_t footprint(const Executable& executable) {
  std::size_t bytes = 0;
  for (const ExecutedOp& op : executable.executed_ops()) bytes += op.output_bytes;
  return bytes;
}

// How many samples outputs are compared on. More than one batch are whole batches: the rest of a short one is filled up
// and costs as much.
std::size_t samples_to_compare(const DataLoader& samples) {
  const std::size_t count = std::clamp<std::size_t>(samples.size() / 20, 8, 32);
  const std::size_t batch = samples.options().batch_size;
  return count > batch ? count / batch * batch : count;
}

// `count` positions out of `size`, evenly spread; all when there are not so many.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  count = std::min(size, count);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < count; ++i) positions.push_back(i * size / count);
  return positions;
}

}  // namespace

std::vector<Tensor> first_sample(const Model& model, const DataLoader& loader) {
  LoaderOptions options = loader.options();
  options.batch_size = 1;
  options.drop_last = false;
  options.workers = 0;
  const auto batch = loader.with(options).read({0}).next();
  if (!batch) throw DataError("evaluate", "the data set is empty");
  return InputFit(model, loader.dataset().input_naming()).apply(batch->inputs);
}

Meter::Meter(const Model& fp32, Evaluator& evaluator, const DataLoader& samples, MeasureOptions options)
    : fp32_(fp32),
      evaluator_(evaluator),
      options_(options),
      samples_(samples),
      sample_(first_sample(fp32, samples)),
      compiled_(sample_),
      probe_positions_(spread(samples.size(), samples_to_compare(samples))) {}

void Meter::measure_speed(const Model& model, Measured& measured, bool briefly) {
  LatencyOptions options{.warmup = options_.warmup, .seconds = options_.latency_seconds, .min_runs = kRuns};
  if (briefly) {
    options.warmup = std::min(options.warmup, kBriefRuns);
    options.min_runs = kBriefRuns;
    options.seconds *= kBriefly;
  }
  if (fp32_.size_bytes >= kLargeModel) {  // there is room for one at a time
    const auto alone = [&](const Model& of) {
      const auto executable = compiled_.only({&of}, with_profiler_).front();
      measured.footprint_bytes = footprint(*executable);
      return measure_latency({{*executable, {sample_}}}, options)[0].p25_ms;
    };
    if (fp32_ms_ == 0) fp32_ms_ = alone(fp32_);
    measured.latency_ms = &model == &fp32_ ? fp32_ms_ : alone(model);
    measured.speedup = fp32_ms_ / measured.latency_ms;
    return;
  }
  if (!fp32_executable_) fp32_executable_ = compiled_.get(fp32_, with_profiler_);
  if (&model == &fp32_) {
    measured.latency_ms = measure_latency({{*fp32_executable_, {sample_}}}, options)[0].p25_ms;
    measured.speedup = 1;
    measured.footprint_bytes = footprint(*fp32_executable_);
    return;
  }
  const auto executable = compiled_.get(model, with_profiler_);
  const auto latency = measure_latency({{*fp32_executable_, {sample_}}, {*executable, {sample_}}}, options);
  measured.latency_ms = latency[1].p25_ms;
  measured.speedup = latency[0].p25_ms / latency[1].p25_ms;
  measured.footprint_bytes = footprint(*executable);
}

Measured Meter::measured(const Model& model, const Score& score, std::size_t size_bytes) {
  if (&model != &fp32_ && first_evaluation_seconds_ == 0) first_evaluation_seconds_ = score.seconds;
  Measured measured{score.accuracy(), score.metrics};
  measured.samples = score.samples;
  measured.complete = score.complete;
  measured.size_bytes = size_bytes;
  // The speed of what is not good enough decides nothing, nor does that of fp32 by itself.
  measure_speed(model, measured, !score.complete || &model == &fp32_);
  compiled_.keep(0);
  return measured;
}

Measured Meter::baseline(const Observer& observer) {
  const Score score = evaluator_.baseline(fp32_, observer);
  evaluation_seconds_ = score.seconds;
  with_profiler_ = score.samples > 0 && 1000 * score.seconds / static_cast<double>(score.samples) >= kProfilerHides;
  options_.latency_seconds = std::clamp(kShareForSpeed * score.seconds, 0.1, options_.latency_seconds);
  return measured(fp32_, score, fp32_.size_bytes);
}

Measured Meter::measure(const Model& model, const Observer& observer) {
  return measured(model, evaluator_.score(model, observer), saved_size(model));
}

Measured Meter::measure_unless_below(double lowest, const Model& model, const Observer& observer) {
  return measured(model, evaluator_.score_unless_below(lowest, model, observer), saved_size(model));
}

Outputs Meter::probe_outputs(const Model& model, const Observer& observer) const {
  Runner runner(model, samples_.dataset().input_naming(), {.usual = {}, .ahead = ahead_});
  BatchStream batches = samples_.read(probe_positions_);
  Outputs outputs;
  runner.run(
      [&]() -> std::optional<std::vector<Tensor>> {
        observer.check_stop();
        auto batch = batches.next();
        return batch ? std::optional(std::move(batch->inputs)) : std::nullopt;
      },
      [&](std::vector<Tensor> of_batch) { outputs.push_back(std::move(of_batch)); });
  return outputs;
}

double Meter::distance_from_fp32(const Model& model, DistanceKind difference, const Observer& observer) {
  if (fp32_outputs_.empty()) fp32_outputs_ = probe_outputs(fp32_, observer);
  return distance(probe_outputs(model, observer), fp32_outputs_, difference);
}

}  // namespace lpot
