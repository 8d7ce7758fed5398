// Latency of a model, and the inputs with which it is timed. comparison.h compares models.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/runtime/executable.h"

namespace lpot {

struct Latency {
  double p25_ms = 0;  // hardly affected by other load
  double median_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  std::size_t runs = 0;
};

// A compiled model and the batches with which it is timed, in rotation. A batch has one tensor per input.
class TimedModel {
 public:
  TimedModel(Executable&, std::vector<std::vector<Tensor>> batches);
  double run_ms();  // the time of one inference

 private:
  Executable* model_;
  std::vector<std::vector<Tensor>> batches_;
  std::size_t next_ = 0;
};

// Percentiles of times in milliseconds by nearest rank, so that each result is a measured time.
Latency summarize(std::vector<double> times_ms);

// Shapes by input name; -1: dynamic.
using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

// Generates inputs for a model: random normal numbers for f32, zeros for all other types. The first dimension is the
// batch size; `shapes` replaces the shapes of the model. Throws ModelError for an input with other dynamic dimensions,
// and for an input in `shapes` that the model does not have.
std::vector<Tensor> generate_inputs(const Model&, std::size_t batch_size, const InputShapes& shapes = {});

}  // namespace lpot
