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
  Tensor label;                // empty when there is none
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::size_t size() const = 0;
  virtual Sample at(std::size_t index) const = 0;  // throws DataError that names file and index

  // The label of a sample alone; data sets that can give it without its inputs do.
  virtual Tensor label(std::size_t index) const { return at(index).label; }

  // Model inputs that the samples' tensors belong to; empty: the model's inputs in their order.
  virtual std::vector<std::string> input_names() const { return {}; }

  // Whether these names are only what such inputs are usually called: inputs of other names then take the tensors in
  // their order, and tensors that no input takes are left out.
  virtual bool names_are_customary() const { return false; }

  // Makes samples of one batch alike where their lengths differ; unless overridden they stay as they are.
  virtual void even_out(std::vector<Sample>&) const {}

  // Lengths that rows of a batch may be filled up to with zeros for a model that is told which of them count (an
  // attention mask), ascending: a model is compiled for each length that comes, and these are few. Empty: any.
  virtual std::vector<std::size_t> lengths() const { return {}; }

  InputNaming input_naming() const { return {input_names(), names_are_customary(), lengths()}; }

  // Tells data sets apart, so that a study is resumed with its own data only: name, parameters, and a fingerprint of
  // the files (names, sizes, times will do). Unless overridden: the input names, the size and a fingerprint of some
  // samples.
  virtual std::string identity() const;
};

// Every data set that a config may name.
const Table& datasets();

// The data set that a config describes. Throws ConfigError or DataError.
std::unique_ptr<Dataset> make_dataset(const Component&);

}  // namespace lpot
