// Speed as a ratio: models take turns in one process, so that a busy machine disturbs all of them alike.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/runtime/executable.h"

namespace lpot {

struct Latency {
  double p25_ms = 0;  // what other programs take of the machine hardly shows in it
  double median_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  std::size_t runs = 0;
};

struct LatencyOptions {
  int warmup = 5;        // runs of each model that are not counted
  double seconds = 1.0;  // for all models together, warm-up not counted
  std::size_t min_runs = 11;
  std::size_t max_runs = 100000;
};

// A compiled model and the batches that it is timed with, in turn; each is one tensor per input.
class Contender {
 public:
  Contender(Executable&, std::vector<std::vector<Tensor>> batches);
  double run_ms();  // the time of one inference

 private:
  Executable* model_;
  std::vector<std::vector<Tensor>> batches_;
  std::size_t next_ = 0;
};

// Median and percentiles of each model's inferences.
std::vector<Latency> measure_latency(std::vector<Contender>, const LatencyOptions& = {});

// Percentiles of times in milliseconds; the nearest rank, so the result is a time that was measured.
Latency summarize(std::vector<double> times_ms);

// Shapes by input name, -1 where dynamic.
using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

// Input tensors of the model's types: zeros for integers, small random numbers for floats. The first dimension is the
// batch; `shapes` replaces the model's own. Throws ModelError naming an input whose other dimensions are dynamic, and
// one in `shapes` that the model does not have.
std::vector<Tensor> made_up_inputs(const Model&, std::size_t batch_size, const InputShapes& shapes = {});

}  // namespace lpot
