// Chooses the batch size and the number of parallel batches with the highest evaluation throughput. The choice is
// measured during the evaluation itself: the first samples are evaluated with one setting, the next with another, and
// the rest with the fastest. Scores change only by rounding.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "lpot/data/loader.h"
#include "lpot/model/model.h"

namespace lpot {

struct Throughput {
  std::size_t batch_size = 0;  // 0: the loader's batch size
  int streams = 0;             // parallel batches; 0: one per thread

  bool operator==(const Throughput&) const = default;
};

// The settings to compare: the loader's own first, then those with the largest expected gain. Only the loader's own if
// nothing can change, for example if the model has a fixed batch.
std::vector<Throughput> throughput_choices(const Model&, const DataLoader&, int threads);

struct ThroughputOptions {
  std::size_t samples = 0;     // of one evaluation
  std::size_t batch_size = 1;  // of the loader
  int threads = 1;
  std::size_t evaluations = 2;  // expected minimum number: fp32 and one int8 model
  double share = 0.03;          // of the evaluation time that compiling another setting may take
};

// Evaluates the next `samples` samples with a setting. Returns the time in seconds.
using RunSamples = std::function<double(const Throughput&, std::size_t samples)>;

// The fastest of the choices. Stops comparing when compiling would take more than `share` of the time, or when too few
// samples are left.
Throughput choose_throughput(const std::vector<Throughput>& choices, const ThroughputOptions&, const RunSamples&);

// The same data with the batch size of the setting.
DataLoader with_batch_size(const DataLoader&, const Throughput&);

}  // namespace lpot
