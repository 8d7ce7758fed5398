// Runs the fp32 model on a few samples, to judge the preprocessing and to choose the metric.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/model/model.h"
#include "lpot/runtime/runner.h"
#include "lpot/tune/auto_config/preprocessing_fit.h"

namespace lpot {

// The first output of a model for some samples, with their labels.
struct SampleOutputs {
  Shape shape = {};  // of one sample, without dimensions of size 1
  // One per sample; empty if the shape has several dimensions, or if it is not the same for all samples.
  std::vector<OutputRow> rows = {};
  std::vector<std::int64_t> labels = {};  // one per sample; empty unless all samples have an integer as label
  std::size_t samples = 0;                // rows of the first output
  bool has_row_per_sample = true;         // false: its first dimension is another one, for example the steps
  bool has_one_shape = true;              // false: the shape differs between batches, as that of texts may
  std::vector<OutputShape> shapes = {};   // of all outputs, of the last batch
  std::vector<Tensor> maps = {};          // the first output for the first samples, to judge its values
  double variance = 0;                    // of all values
  std::vector<Tensor> last_outputs = {};  // all outputs for the last batch, which has last_count samples
  std::vector<Shape> last_inputs = {};    // the shapes of its inputs
  std::size_t last_count = 0;

  bool has_classes() const { return shape.size() == 1 && has_one_shape; }
  std::size_t classes() const { return shape.empty() ? 1 : shape[0]; }
};

// A data set and its transforms as in a configuration: "ImageFolder: {root: /data}".
struct DataText {
  std::string dataset;
  std::vector<std::string> transforms = {};
};
LoaderConfig loader_config(const DataText&, std::size_t batch_size);

// The number of samples of a batch that the inputs accept; `wanted` if they accept any.
std::size_t accepted_batch(const std::vector<Port>& inputs, std::size_t wanted);

class SampleRunner {
 public:
  // The arguments must outlive this object.
  SampleRunner(const Model&, const Observer&);

  // The outputs for the first `count` samples of a random order, which is the same for all calls with one data set.
  SampleOutputs run(const DataText&, std::size_t count);
  SampleOutputs run(const DataLoader&, std::size_t count);

 private:
  const Model& model_;
  const Observer& observer_;
  std::optional<Runner> runner_;  // compiled once
  std::size_t batch_size_;
};

}  // namespace lpot
