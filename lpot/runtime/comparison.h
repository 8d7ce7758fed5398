// Compares the speed of models. The models run alternately in short blocks. Every round of blocks gives one ratio of
// their times, and the median of these ratios is the result.
//
//   Executable fp32(model), int8(quantize(model, plan, statistics));
//   const Comparison compared = compare_latency({{fp32, {inputs}}, {int8, {inputs}}}, {.seconds = 0.5});
//   const TimeRatio speedup = compared.ratio(1);  // of model 1 against model 0
//   if (speedup.is_slower_beyond_spread()) std::cout << "int8 is slower, " << speedup.median << " x\n";
//
// Why blocks: other programs slow down both models of a round, so the ratio of their times changes little. A block has
// many inferences of a short model, or one inference of a long model.
//
// Which time: wall-clock time if the cores are free. If other programs use the cores, CPU time, which does not include
// the time in which an inference waits for a core.
// - A model that is compiled for one thread runs in the calling thread. The CPU time of that thread is exact.
// - With several threads, the CPU time of the whole process is used. It includes the time in which threads of the pool
//   spin while they wait for each other. This matters for inferences of a few milliseconds or less. Compile such models
//   for one thread (compiled_models.h).
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "lpot/runtime/latency.h"

namespace lpot {

// A ratio of the times of two models; above 1, the model is faster than the reference.
//
// `low` to `high` is a 95% confidence interval of the median. It uses only the order of the ratios: with probability
// 0.95 or more, the true median lies between the k-th smallest and the k-th largest of n ratios, where k follows from
// the binomial distribution. So it holds for any distribution of the ratios, also with outliers. It needs 6 ratios.
// With fewer, the interval is from the smallest to the largest ratio, and the model counts as neither faster nor
// slower.
struct TimeRatio {
  double median = 1;
  double low = 1;
  double high = 1;
  std::size_t blocks = 0;  // number of ratios

  // Whether the whole interval is above (below) 1 by more than kProcessSpread. If neither is true, both models count as
  // equally fast.
  bool is_faster_beyond_spread() const;
  bool is_slower_beyond_spread() const;
  double relative_width() const;  // (high - low) / median

  bool operator==(const TimeRatio&) const = default;
};

// Processes that compare the same two models get medians that differ by up to about 2%, because their memory is
// arranged differently. The blocks of one process cannot show this.
inline constexpr double kProcessSpread = 0.02;

// The rank k of the interval's ends among `count` sorted ratios: the k-th smallest and the k-th largest. 0: too few
// ratios for an interval.
std::size_t interval_rank(std::size_t count);
TimeRatio median_of_ratios(std::vector<double> ratios);

// The median time of an inference in one block.
struct BlockTime {
  double wall_ms = 0;
  double cpu_ms = 0;
};

enum class TimeBasis { Wall, Cpu };

// `reference` / `model`, block by block.
TimeRatio time_ratio(const std::vector<BlockTime>& reference, const std::vector<BlockTime>& model, TimeBasis);

struct Comparison {
  std::vector<Latency> latencies;              // by model
  std::vector<std::vector<BlockTime>> blocks;  // by model
  TimeBasis basis = TimeBasis::Wall;
  double contention = 0;  // share of the CPU that other programs used

  TimeRatio ratio(std::size_t model, std::size_t reference = 0) const;
};

struct ComparisonOptions {
  int warmup = 5;        // runs of each model before the measurement
  double seconds = 1.0;  // for all models together, without warm-up
  // If ratios are still uncertain after `seconds`, the comparison continues up to this time. 0: it does not.
  double max_seconds = 0;
  int threads = 0;  // of the compiled models; 1: CPU time is that of the calling thread
  std::size_t min_blocks = 7;
  std::size_t max_runs = 100000;  // of each model
};

Comparison compare_latency(std::vector<TimedModel>, const ComparisonOptions& = {});

// What a block may use.
struct BlockLimits {
  double block_ms = 0;      // the block ends after the run that reaches this time
  std::size_t runs = 1;     // at most
  bool warm = false;        // one run that is not counted loads the model into the cache
  bool one_thread = false;  // the CPU time of the calling thread is that of the model
};

struct BlockRuns {
  std::vector<double> wall_ms, cpu_ms;  // of each run
  double total_cpu_ms = 0;              // of the block
};

// A model that another process or runtime runs.
class BlockTimer {
 public:
  virtual ~BlockTimer() = default;
  virtual void warm_up(int runs) = 0;
  virtual BlockRuns run(const BlockLimits&) = 0;
};

// `process` runs the models, so its CPU time does not count as that of other programs. 0: this process.
Comparison compare_blocks(std::vector<std::unique_ptr<BlockTimer>>, const ComparisonOptions&, pid_t process = 0);

}  // namespace lpot
