#include "lpot/runtime/comparison.h"

#include <algorithm>
#include <cmath>

#include "lpot/core/clock.h"
#include "lpot/core/cpu_contention.h"

namespace lpot {
namespace {

// The longest block. It is long enough to keep the weights of a model in the cache, as in real use.
constexpr double kBlockMs = 10.0;
// Blocks are shorter if a comparison would have fewer rounds than this. The interval of the median of 20 ratios
// excludes the five smallest and the five largest, so a few disturbed blocks have no effect.
constexpr double kRounds = 20;
// An interval of this width, relative to the median, is narrow enough: it decides about gains of 5%, the smallest that
// justify a change (kVariantGain).
constexpr double kNarrow = 0.05;
// Above this share of the cores, other programs delay inferences. Programs in the background of an idle machine use
// less.
constexpr double kContended = 0.1;
constexpr double kConfidence = 0.95;  // of the interval of a ratio

// The times of single inferences.
struct Runs {
  std::vector<double> wall_ms, cpu_ms;
};

// A model that this process runs.
class LocalTimer : public BlockTimer {
 public:
  explicit LocalTimer(TimedModel model) : model_(std::move(model)) {}

  void warm_up(int runs) override {
    for (int i = 0; i < runs; ++i) model_.run_ms();
  }

  BlockRuns run(const BlockLimits& limits) override {
    if (limits.warm) model_.run_ms();
    BlockRuns runs;
    const auto cpu_now_ms = limits.one_thread ? thread_cpu_ms : process_cpu_ms;
    const Clock::time_point start = Clock::now();
    const double cpu_start = cpu_now_ms();
    do {
      const double cpu_before = cpu_now_ms();
      runs.wall_ms.push_back(model_.run_ms());
      runs.cpu_ms.push_back(cpu_now_ms() - cpu_before);
    } while (1000 * seconds_since(start) < limits.block_ms && runs.wall_ms.size() < limits.runs);
    runs.total_cpu_ms = cpu_now_ms() - cpu_start;
    return runs;
  }

 private:
  TimedModel model_;
};

class Comparer {
 public:
  Comparer(std::vector<std::unique_ptr<BlockTimer>> models, const ComparisonOptions& options, pid_t process)
      : models_(std::move(models)),
        options_(options),
        process_(process),
        runs_(models_.size()),
        blocks_(models_.size()) {
    for (const auto& model : models_) model->warm_up(std::max(1, options_.warmup));
  }

  Comparison run() {
    block_ms_ = std::min(kBlockMs, 1000 * options_.seconds / (kRounds * static_cast<double>(models_.size())));
    block_runs_ = std::max<std::size_t>(1, options_.max_runs / static_cast<std::size_t>(kRounds));
    const CpuContention contention(process_);
    const Clock::time_point start = Clock::now();
    for (std::size_t round = 0; !is_done(round, seconds_since(start), contention); ++round)
      for (std::size_t turn = 0; turn < models_.size(); ++turn)
        // Every other round is reversed, so that the order of the models has no effect.
        run_block(round % 2 == 0 ? turn : models_.size() - 1 - turn);
    return summary(contention.share());
  }

 private:
  bool is_done(std::size_t rounds, double seconds, const CpuContention& contention) const {
    if (std::all_of(runs_.begin(), runs_.end(), [&](const Runs& of) { return of.wall_ms.size() >= options_.max_runs; }))
      return true;
    if (rounds < options_.min_blocks || seconds < options_.seconds) return false;
    return seconds >= options_.max_seconds || is_certain(basis(contention.share()));
  }

  static TimeBasis basis(double contention) { return contention > kContended ? TimeBasis::Cpu : TimeBasis::Wall; }

  bool is_certain(TimeBasis basis) const {
    for (std::size_t model = 1; model < models_.size(); ++model)
      if (time_ratio(blocks_.front(), blocks_[model], basis).relative_width() > kNarrow) return false;
    return true;
  }

  void run_block(std::size_t model) {
    Runs& runs = runs_[model];
    const std::size_t before = runs.wall_ms.size();
    if (before >= options_.max_runs) return;
    const bool one_thread = options_.threads == 1;
    // Slow models need no run that loads them into the cache.
    const BlockRuns block = models_[model]->run({.block_ms = block_ms_,
                                                 .runs = std::min(options_.max_runs - before, block_runs_),
                                                 .warm = before == 0 || runs.wall_ms.back() < kBlockMs,
                                                 .one_thread = one_thread});
    runs.wall_ms.insert(runs.wall_ms.end(), block.wall_ms.begin(), block.wall_ms.end());
    runs.cpu_ms.insert(runs.cpu_ms.end(), block.cpu_ms.begin(), block.cpu_ms.end());
    // The clock of a process counts the time of other running threads only at every tick of the scheduler.
    const double mean_cpu = block.total_cpu_ms / static_cast<double>(block.wall_ms.size());
    const double median_cpu = summarize(block.cpu_ms).median_ms;
    blocks_[model].push_back({summarize(block.wall_ms).median_ms, one_thread ? median_cpu : mean_cpu});
  }

  Comparison summary(double contention) {
    Comparison result{
        .latencies = {}, .blocks = std::move(blocks_), .basis = basis(contention), .contention = contention};
    // CPU time is a latency only if one thread does all the work.
    const bool use_cpu_time = result.basis == TimeBasis::Cpu && options_.threads == 1;
    for (Runs& runs : runs_)
      result.latencies.push_back(summarize(std::move(use_cpu_time ? runs.cpu_ms : runs.wall_ms)));
    return result;
  }

  std::vector<std::unique_ptr<BlockTimer>> models_;
  ComparisonOptions options_;
  pid_t process_;
  double block_ms_ = kBlockMs;
  std::size_t block_runs_ = 1;                  // at most
  std::vector<Runs> runs_;                      // by model
  std::vector<std::vector<BlockTime>> blocks_;  // by model
};

}  // namespace

bool TimeRatio::is_faster_beyond_spread() const { return interval_rank(blocks) > 0 && low > 1 + kProcessSpread; }

bool TimeRatio::is_slower_beyond_spread() const { return interval_rank(blocks) > 0 && high < 1 - kProcessSpread; }

double TimeRatio::relative_width() const { return (high - low) / median; }

std::size_t interval_rank(std::size_t count) {
  // The true median is below the k-th smallest of n ratios with the probability that fewer than k of n coins show
  // heads, and above the k-th largest with the same probability. The largest k with at most 5% for both together.
  const double log_all = -static_cast<double>(count) * std::log(2.0);
  double below = 0;
  std::size_t k = 0;
  for (; k < count; ++k) {
    const auto n = static_cast<double>(count), i = static_cast<double>(k);
    below += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) + log_all);
    if (2 * below > 1 - kConfidence) break;
  }
  return k;
}

TimeRatio median_of_ratios(std::vector<double> ratios) {
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  const std::size_t count = ratios.size();
  const std::size_t end = std::max<std::size_t>(1, interval_rank(count)) - 1;
  const double median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
  return {median, ratios[end], ratios[count - 1 - end], count};
}

TimeRatio time_ratio(const std::vector<BlockTime>& reference, const std::vector<BlockTime>& model, TimeBasis basis) {
  const auto time = [&](const BlockTime& block) { return basis == TimeBasis::Cpu ? block.cpu_ms : block.wall_ms; };
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(reference.size(), model.size()); ++i)
    if (time(reference[i]) > 0 && time(model[i]) > 0) ratios.push_back(time(reference[i]) / time(model[i]));
  return median_of_ratios(std::move(ratios));
}

TimeRatio Comparison::ratio(std::size_t model, std::size_t reference) const {
  return time_ratio(blocks[reference], blocks[model], basis);
}

Comparison compare_latency(std::vector<TimedModel> models, const ComparisonOptions& options) {
  std::vector<std::unique_ptr<BlockTimer>> timers;
  for (TimedModel& model : models) timers.push_back(std::make_unique<LocalTimer>(std::move(model)));
  return compare_blocks(std::move(timers), options);
}

Comparison compare_blocks(std::vector<std::unique_ptr<BlockTimer>> models, const ComparisonOptions& options,
                          pid_t process) {
  return Comparer(std::move(models), options, process).run();
}

}  // namespace lpot
