// How the models of a study are run so that most samples are evaluated in a second: in batches of which size, and how
// many of them at the same time. It is measured on the work itself: the first samples are evaluated in one way, the
// next ones in another, and the rest in the fastest. No score changes by it beyond rounding.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "lpot/data/loader.h"
#include "lpot/model/model.h"

namespace lpot {

struct Throughput {
  std::size_t batch_size = 0;  // 0: the loader's own
  int streams = 0;             // batches at the same time; 0: one per thread

  bool operator==(const Throughput&) const = default;
};

// What is worth comparing: the loader's own way first, then the likeliest gains. That one alone where nothing may
// differ, as for a model that fixes its batch.
std::vector<Throughput> throughput_choices(const Model&, const DataLoader&, int threads);

struct ThroughputOptions {
  std::size_t samples = 0;     // of one evaluation
  std::size_t batch_size = 1;  // the loader's own
  int threads = 1;
  std::size_t evaluations = 2;  // that are expected at least: of fp32 and of one int8 model
  double share = 0.03;          // of their time that compiling another way may take
};

// Evaluates so many of the next samples in that way and gives the seconds that it took.
using RunSome = std::function<double(const Throughput&, std::size_t samples)>;

// The fastest of the choices. The rest is not compared where compiling would cost more of the time than its share, or
// where the samples run out.
Throughput choose_throughput(const std::vector<Throughput>& choices, const ThroughputOptions&, const RunSome&);

// The same data in batches of that size.
DataLoader in_batches(const DataLoader&, const Throughput&);

}  // namespace lpot
