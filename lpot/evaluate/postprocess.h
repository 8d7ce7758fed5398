// What happens between a model's outputs and the metrics.
//
//   class KeepFirstOutput : public Postprocess {
//    public:
//     BatchResult apply(BatchResult batch) const override {
//       batch.outputs.resize(1);
//       return batch;
//     }
//   };
//
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

// A batch after the model: outputs, each [count, ...], and one label per sample.
struct BatchResult {
  std::vector<Tensor> outputs;
  std::vector<Tensor> labels;
  std::vector<Shape> input_shapes = {};  // of the model's inputs for this batch; empty: unknown
};

// Has no state: metrics combine results of several batches.
class Postprocess {
 public:
  virtual ~Postprocess() = default;
  virtual BatchResult apply(BatchResult) const = 0;  // throws DataError with the index of the sample in the batch
  // How it understands the outputs of a batch, for the log; "" if there is nothing to say.
  virtual std::string description(const BatchResult&) const { return ""; }
};

// All postprocess transforms that a configuration may name.
const Table& postprocesses();

using Postprocesses = std::vector<std::shared_ptr<const Postprocess>>;

// The transforms of a configuration, in order. Throws ConfigError and DataError.
Postprocesses make_postprocesses(const std::vector<Component>&);

}  // namespace lpot
