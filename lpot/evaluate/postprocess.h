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
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

// A batch that went through the model: outputs, each [count, ...], and one label per sample.
struct BatchResult {
  std::vector<Tensor> outputs;
  std::vector<Tensor> labels;
};

// Knows nothing of the batches before: what belongs together over several batches, metrics bring together.
class Postprocess {
 public:
  virtual ~Postprocess() = default;
  virtual BatchResult apply(BatchResult) const = 0;  // throws DataError that names the sample within the batch
};

// Every postprocess transform that a config may name.
const Table& postprocesses();

using Postprocesses = std::vector<std::shared_ptr<const Postprocess>>;

// The transforms that a config describes, in order. Throws ConfigError and DataError.
Postprocesses make_postprocesses(const std::vector<Component>&);

}  // namespace lpot
