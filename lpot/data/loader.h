// Reads batches of transformed samples. Worker threads prepare them in advance; the order is fixed.
//
//   DataLoader loader(dataset, {resize}, {.batch_size = 32});
//   for (auto batches = loader.read(); auto batch = batches.next();) use(*batch);
//
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/data/dataset.h"
#include "lpot/data/sample_cache.h"
#include "lpot/data/transform.h"

namespace lpot {

struct Batch {
  std::size_t first = 0;       // position of the first sample in the loader's order
  std::vector<Tensor> inputs;  // stacked: [count, ...]
  std::vector<Tensor> labels;  // one per sample; empty tensors if the data set has no labels
  std::size_t count() const { return labels.size(); }
};

struct LoaderOptions {
  std::size_t batch_size = 1;
  bool drop_last = false;  // skip a short last batch
  bool shuffle = false;    // one fixed order per seed
  std::uint64_t seed = 1978;
  // Numbers of consecutive samples that belong to one sequence of a streaming model. One value: all sequences have this
  // length. Empty: those of the data set; if it has none, all samples are one sequence. Sequences are shuffled as a
  // whole.
  std::vector<std::size_t> sequence_lengths = {};
  std::optional<std::size_t> limit = {};  // maximum number of samples
  int workers = 1;
  std::size_t prefetch = 4;  // batches prepared in advance
};

// One pass over the data of a loader. next() throws the error of a worker when it reaches the failed batch.
class BatchStream {
 public:
  struct State;
  explicit BatchStream(std::unique_ptr<State>);
  BatchStream(BatchStream&&) noexcept;
  ~BatchStream();  // stops the workers
  std::optional<Batch> next();

 private:
  std::unique_ptr<State> state_;
};

class DataLoader {
 public:
  DataLoader(std::shared_ptr<const Dataset>, std::vector<Transform>, LoaderOptions = {});

  BatchStream read() const;                                    // all samples that the options select
  BatchStream read(std::vector<std::size_t> positions) const;  // these positions of the loader's order

  std::size_t size() const { return order_.size(); }                             // samples
  Sample sample(std::size_t position) const;                                     // transformed
  std::size_t index(std::size_t position) const { return order_.at(position); }  // in the data set
  // The positions at which sequences start, ascending.
  const std::vector<std::size_t>& sequence_starts() const { return sequence_starts_; }
  const LoaderOptions& options() const { return options_; }
  const Dataset& dataset() const { return *dataset_; }
  std::string identity() const;  // of the data set, the transforms and the order

  DataLoader with(const LoaderOptions&) const;       // the same data with other options
  DataLoader cached(const CacheLimits& = {}) const;  // the same loader with a cache of transformed samples
  bool is_slow() const;  // whether reading a sample takes so long that a cache helps, as for decoded images

 private:
  std::shared_ptr<const Dataset> dataset_;
  std::vector<Transform> transforms_;
  LoaderOptions options_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> sequence_starts_;
  std::shared_ptr<SampleCache> cache_;
};

}  // namespace lpot
