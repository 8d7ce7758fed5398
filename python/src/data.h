// Data that come from Python: batches that were collected from a loader.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "lpot/data/dataset.h"
#include "python/src/arrays.h"

namespace lpot::python {

// Loaders of Python can only be walked through, strategies want samples in any order: so what a loader yields is kept.
// Beyond a gigabyte it lies in a file without a name, which the system keeps in memory as long as there is room.
class CollectedData : public Dataset {
 public:
  explicit CollectedData(std::vector<std::string> names) : names_(std::move(names)) {}

  // Tensors with one row for each of `count` samples; labels may be an empty tensor. With count 0 it is one sample,
  // which is the whole inputs.
  void add(std::vector<Tensor> inputs, const Tensor& labels, std::size_t count);

  std::size_t size() const override { return samples_.size(); }
  Sample at(std::size_t index) const override { return samples_.at(index); }
  std::vector<std::string> input_names() const override { return names_; }
  bool is_even() const;  // all samples have the same shapes

 private:
  Tensor kept(Tensor);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::vector<std::string> names_;
  std::vector<Sample> samples_;
  std::size_t bytes_ = 0;  // in memory
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t file_bytes_ = 0;
};

void bind_data(py::module_&);

}  // namespace lpot::python
