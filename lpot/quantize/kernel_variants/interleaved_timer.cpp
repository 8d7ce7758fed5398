#include "lpot/quantize/kernel_variants/interleaved_timer.h"

#include <algorithm>

#include "lpot/core/clock.h"
#include "lpot/core/large_models.h"
#include "lpot/quantize/kernel_variants/choose.h"
#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

constexpr std::size_t kMinRuns = 5;     // of a profile
constexpr std::size_t kMaxRuns = 200;   // of a profile; more runs do not make the quartile more stable
constexpr std::size_t kMinBlocks = 11;  // of whole models, whose differences are smaller
constexpr double kMaxExtension = 5;     // of a comparison with a large spread: at most this many times the usual time
constexpr double kMaxDelay = 4;         // of a profile beside other programs: at most this many times the usual time

bool is_large(const Model& model) { return model.size_bytes >= kLargeModel; }

}  // namespace

InterleavedTimer::InterleavedTimer(CompiledModels& compiled, const std::vector<Tensor>& inputs,
                                   const std::map<std::string, std::string>& owners, const Observer& observer)
    : compiled_(compiled), inputs_(inputs), owners_(owners), observer_(observer) {}

std::vector<Times> InterleavedTimer::profile(const Executables& models, double seconds) {
  std::vector<std::map<std::string, std::vector<double>>> runs(models.size());
  double longest_ms = 0;
  const auto start = Clock::now();
  // The time of this process, so that other programs do not reduce the number of runs. Threads of an inference use
  // several cores at once, so the clock decides if it is faster.
  const double cpu_start_ms = process_cpu_ms();
  const auto has_time = [&] {
    const double passed = seconds_since(start), used = (process_cpu_ms() - cpu_start_ms) / 1000;
    return passed < seconds || (used < seconds && passed < kMaxDelay * seconds);
  };
  const auto continues = [&](std::size_t counted) { return counted < kMinRuns || (counted < kMaxRuns && has_time()); };
  for (std::size_t round = 0; round == 0 || continues(round - 1); ++round)  // the first round is a warm-up
    for (std::size_t i = 0; i < models.size(); ++i) {
      observer_.check_stop();
      if (longest_ms < kProfilerHides) models[i]->infer(inputs_);  // loads the model into the CPU cache again
      models[i]->infer(inputs_);
      const std::vector<ExecutedOp> executed = models[i]->executed_ops();
      double sum = 0;
      for (const ExecutedOp& op : executed) sum += op.time_ms;
      longest_ms = std::max(longest_ms, sum);
      if (round == 0) continue;
      for (const auto& [op, time] : times_by_owner(executed, owners_)) runs[i][op].push_back(time);
      runs[i][kAllKernels].push_back(sum);
    }
  std::vector<Times> quartiles(models.size());
  for (std::size_t i = 0; i < models.size(); ++i)
    for (auto& [op, times] : runs[i]) quartiles[i][op] = summarize(std::move(times)).p25_ms;
  kernels_ms_ = quartiles.back()[kAllKernels];
  return quartiles;
}

std::vector<Times> InterleavedTimer::profile(const Model& first, const std::function<const Model&()>& second,
                                             double seconds) {
  if (is_large(first)) {
    std::vector<Times> times = profile(compiled_.only({&first}, true), seconds);
    compiled_.release_unused(0);
    times.push_back(profile(compiled_.only({&second()}, true), seconds).front());
    compiled_.release_unused(0);
    return times;
  }
  const auto held = compiled_.get(first, true);
  compiled_.release_unused(2);  // the second model is probably one of those that were compiled last
  return profile({held, compiled_.get(second(), true)}, seconds);
}

Comparison InterleavedTimer::compare_whole(const std::vector<const Model*>& models, double seconds) {
  const bool with_profiler = kernels_ms_ >= kProfilerHides;
  const auto compare = [&](const Executables& executables) {
    std::vector<TimedModel> timed;
    for (const auto& executable : executables)
      timed.emplace_back(*executable, std::vector<std::vector<Tensor>>{inputs_});
    return compare_latency(std::move(timed), {.seconds = seconds,
                                              .max_seconds = kMaxExtension * seconds,
                                              .threads = compiled_.threads(),
                                              .min_blocks = kMinBlocks});
  };
  if (is_large(*models.front())) {
    Comparison all;
    for (const Model* model : models) {
      const Comparison one = compare(compiled_.only({model}, with_profiler));
      all.latencies.push_back(one.latencies.front());
      all.blocks.push_back(one.blocks.front());
      if (one.basis == TimeBasis::Cpu) all.basis = TimeBasis::Cpu;
    }
    compiled_.release_unused(0);
    return all;
  }
  const Comparison all = compare(compiled_.only(models, with_profiler));
  compiled_.release_unused(2);
  return all;
}

}  // namespace lpot
