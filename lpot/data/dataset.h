// Samples by index. Datasets are read from several threads at once, so `at` is const and free of hidden state.
//
//   class Noise : public Dataset {
//    public:
//     std::size_t size() const override { return 100; }
//     Sample at(std::size_t) const override { return {{Tensor(ElementType::F32, {3, 32, 32})}, Tensor()}; }
//   };
//
// Images are u8 [height, width, channels] in RGB. A class is labelled by an i64 scalar. Objects in an image are
// labelled by f32 [n, 7], a row for each: y_min, x_min, y_max, x_max (0..1 of the height and width), class id, 1 for a
// crowd or a difficult object and else 0, area in pixels.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/input_naming.h"
#include "lpot/core/tensor.h"

namespace lpot {

struct Sample {
  std::vector<Tensor> inputs;  // one per model input, in the order of Dataset::input_names
  Tensor label;                // empty if there is none
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::size_t size() const = 0;
  virtual Sample at(std::size_t index) const = 0;  // throws DataError with the file and the index

  // Only the label of a sample. Override it if the label can be read without the inputs.
  virtual Tensor label(std::size_t index) const { return at(index).label; }

  // The model inputs of the tensors of a sample; empty: the inputs of the model in their order.
  virtual std::vector<std::string> input_names() const { return {}; }

  // Whether input_names are only the usual names of such inputs. Model inputs with other names then get the remaining
  // tensors in their order, and unused tensors are ignored.
  virtual bool names_are_hints() const { return false; }

  // Pads the samples of a batch to one length. Does nothing unless overridden.
  virtual void pad_batch(std::vector<Sample>&) const {}

  // The lengths to which rows of a batch may be padded with zeros, ascending, if the model has an attention mask. A few
  // lengths are best, because the model is compiled for each of them. Empty: any length.
  virtual std::vector<std::size_t> lengths() const { return {}; }

  // One message for each sample that was left out because it cannot be read (dataloader.on_error: skip).
  virtual std::vector<std::string> skipped() const { return {}; }

  // Numbers of consecutive samples that belong to one sequence of a streaming model; empty: unknown. The
  // configuration's sequence_length has priority.
  virtual std::vector<std::size_t> sequence_lengths() const { return {}; }

  InputNaming input_naming() const { return {input_names(), names_are_hints(), lengths()}; }

  // Identifies the data, so that a study is only resumed with the same data: name, parameters and a fingerprint of the
  // files (names, sizes and times suffice). Unless overridden: the input names, the size and a fingerprint of some
  // samples.
  virtual std::string identity() const;
};

// All data sets that a config can name.
const Table& datasets();

// Opens the data set that a config describes. Throws ConfigError or DataError.
std::unique_ptr<Dataset> make_dataset(const Component&);

}  // namespace lpot
