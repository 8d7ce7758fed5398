#include "lpot/tune/speed_meter.h"

#include <algorithm>

#include "lpot/core/large_models.h"
#include "lpot/runtime/precision.h"

namespace lpot {
namespace {

constexpr double kShareForSpeed = 0.02;  // time of a measurement, as a share of the time of an evaluation
constexpr double kShortestSeconds = 0.1;
constexpr double kMaxExtension = 5;      // with a large spread, at most this many times the usual time
constexpr double kBriefShare = 0.2;      // of the usual time, for Effort::Brief
constexpr std::size_t kBriefBlocks = 3;  // minimum for Effort::Brief
constexpr std::size_t kFullBlocks = 7;   // minimum for Effort::Full; a confidence interval needs 6

std::size_t footprint(const Executable& executable) {
  std::size_t bytes = 0;
  for (const ExecutedOp& op : executable.executed_ops()) bytes += op.output_bytes;
  return bytes;
}

}  // namespace

SpeedMeter::SpeedMeter(const Model& fp32, std::vector<Tensor> sample, SpeedOptions options)
    : fp32_(fp32), default_(fp32), sample_(std::move(sample)), options_(options), compiled_(sample_) {
  default_.precision = default_precision();
}

void SpeedMeter::adapt_to(double evaluation_seconds, std::size_t samples) {
  with_profiler_ = samples > 0 && 1000 * evaluation_seconds / static_cast<double>(samples) >= kProfilerHides;
  options_.seconds = std::clamp(kShareForSpeed * evaluation_seconds, kShortestSeconds, options_.seconds);
}

// Memory holds only one compiled large model at a time, so the blocks of the two models are not interleaved.
Speed SpeedMeter::measure_alone(const Model& model, const ComparisonOptions& options) {
  Speed speed;
  const auto time = [&](const Model& of) {
    const auto executable = compiled_.only({&of}, with_profiler_).front();
    speed.footprint_bytes = footprint(*executable);
    return compare_latency({{*executable, {sample_}}}, options);
  };
  if (!fp32_times_) fp32_times_ = time(fp32_);
  const Comparison times = &model == &fp32_ ? *fp32_times_ : time(model);
  speed.latency_ms = times.latencies.front().p25_ms;
  const auto compare_with = [&](const Comparison& reference) {
    const bool is_contended = times.basis == TimeBasis::Cpu || reference.basis == TimeBasis::Cpu;
    return time_ratio(reference.blocks.front(), times.blocks.front(), is_contended ? TimeBasis::Cpu : TimeBasis::Wall);
  };
  speed.speedup = compare_with(*fp32_times_);
  if (!has_other_default() || &model == &fp32_) return speed;
  if (!default_times_) default_times_ = time(default_);
  speed.vs_default = compare_with(*default_times_);
  return speed;
}

ComparisonOptions SpeedMeter::full_effort() const {
  return {.warmup = options_.warmup,
          .seconds = options_.seconds,
          .max_seconds = kMaxExtension * options_.seconds,
          .min_blocks = kFullBlocks};
}

std::vector<TimeRatio> SpeedMeter::compare(const std::vector<Model>& models) {
  std::vector<TimeRatio> ratios;
  if (fp32_.size_bytes >= kLargeModel) {
    for (const Model& model : models) ratios.push_back(measure_alone(model, full_effort()).speedup);
    return ratios;
  }
  std::vector<std::shared_ptr<Executable>> executables{compile(fp32_)};
  for (const Model& model : models) executables.push_back(compile(model));
  std::vector<TimedModel> timed;
  for (const auto& executable : executables) timed.emplace_back(*executable, std::vector<std::vector<Tensor>>{sample_});
  ComparisonOptions options = full_effort();
  options.threads = compiled_.threads();
  const Comparison times = compare_latency(std::move(timed), options);
  for (std::size_t i = 1; i < executables.size(); ++i) ratios.push_back(times.ratio(i));
  return ratios;
}

Speed SpeedMeter::measure(const Model& model, Effort effort) {
  ComparisonOptions options = full_effort();
  if (effort == Effort::Brief) {
    options.warmup = std::min(options.warmup, static_cast<int>(kBriefBlocks));
    options.min_blocks = kBriefBlocks;
    options.seconds *= kBriefShare;
    options.max_seconds = 0;
  }
  if (fp32_.size_bytes >= kLargeModel) return measure_alone(model, options);
  if (!fp32_executable_) fp32_executable_ = compiled_.get(fp32_, with_profiler_);
  options.threads = compiled_.threads();
  std::vector<TimedModel> models{{*fp32_executable_, {sample_}}};
  const bool is_fp32 = &model == &fp32_;
  const auto executable = is_fp32 ? fp32_executable_ : compiled_.get(model, with_profiler_);
  if (!is_fp32) models.emplace_back(*executable, std::vector<std::vector<Tensor>>{sample_});
  const bool with_default = !is_fp32 && effort == Effort::Full && has_other_default();
  if (with_default) {
    if (!default_executable_) default_executable_ = compiled_.get(default_, with_profiler_);
    models.emplace_back(*default_executable_, std::vector<std::vector<Tensor>>{sample_});
  }
  const Comparison times = compare_latency(std::move(models), options);
  const std::size_t measured = is_fp32 ? 0 : 1;
  return {times.latencies[measured].p25_ms, is_fp32 ? TimeRatio{} : times.ratio(1),
          with_default ? times.ratio(1, 2) : TimeRatio{}, options.threads, footprint(*executable)};
}

}  // namespace lpot
