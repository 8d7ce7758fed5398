#include "lpot/tune/speed_meter.h"

#include <algorithm>

#include "lpot/core/large_models.h"
#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

constexpr double kShareForSpeed = 0.02;  // of the time of an evaluation
constexpr double kShortest = 0.1;        // seconds
constexpr double kBriefly = 0.2;         // share of the usual time for Effort::Brief,
constexpr int kBriefRuns = 3;            // with at least this many runs
constexpr int kRuns = 7;                 // at least, for one that does

std::size_t footprint(const Executable& executable) {
  std::size_t bytes = 0;
  for (const ExecutedOp& op : executable.executed_ops()) bytes += op.output_bytes;
  return bytes;
}

}  // namespace

SpeedMeter::SpeedMeter(const Model& fp32, std::vector<Tensor> sample, SpeedOptions options)
    : fp32_(fp32), sample_(std::move(sample)), options_(options), compiled_(sample_) {}

void SpeedMeter::adapt_to(double evaluation_seconds, std::size_t samples) {
  with_profiler_ = samples > 0 && 1000 * evaluation_seconds / static_cast<double>(samples) >= kProfilerHides;
  options_.seconds = std::clamp(kShareForSpeed * evaluation_seconds, kShortest, options_.seconds);
}

// Memory holds only one compiled large model at a time.
Speed SpeedMeter::measure_alone(const Model& model, const LatencyOptions& options) {
  Speed speed;
  const auto time = [&](const Model& of) {
    const auto executable = compiled_.only({&of}, with_profiler_).front();
    speed.footprint_bytes = footprint(*executable);
    return measure_latency({{*executable, {sample_}}}, options)[0].p25_ms;
  };
  if (fp32_ms_ == 0) fp32_ms_ = time(fp32_);
  speed.latency_ms = &model == &fp32_ ? fp32_ms_ : time(model);
  speed.speedup = fp32_ms_ / speed.latency_ms;
  return speed;
}

Speed SpeedMeter::measure(const Model& model, Effort effort) {
  LatencyOptions options{.warmup = options_.warmup, .seconds = options_.seconds, .min_runs = kRuns};
  if (effort == Effort::Brief) {
    options.warmup = std::min(options.warmup, kBriefRuns);
    options.min_runs = kBriefRuns;
    options.seconds *= kBriefly;
  }
  if (fp32_.size_bytes >= kLargeModel) return measure_alone(model, options);
  if (!fp32_executable_) fp32_executable_ = compiled_.get(fp32_, with_profiler_);
  if (&model == &fp32_)
    return {measure_latency({{*fp32_executable_, {sample_}}}, options)[0].p25_ms, 1, footprint(*fp32_executable_)};
  const auto executable = compiled_.get(model, with_profiler_);
  const auto latency = measure_latency({{*fp32_executable_, {sample_}}, {*executable, {sample_}}}, options);
  return {latency[1].p25_ms, latency[0].p25_ms / latency[1].p25_ms, footprint(*executable)};
}

}  // namespace lpot
