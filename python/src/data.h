// Data sets for Python: batches collected from a Python loader, and data sets of the library.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "lpot/data/dataset.h"
#include "python/src/arrays.h"

namespace lpot::python {

// Stores the samples of a Python loader. Loaders can only be iterated, but the library reads samples in any order.
// Data beyond 1 GB are stored in an unnamed temporary file that is mapped into memory.
class CollectedData : public Dataset {
 public:
  explicit CollectedData(std::vector<std::string> names) : names_(std::move(names)) {}

  // Adds `count` samples, one per row of the tensors. With count 0, adds the whole tensors as one sample. `labels` may
  // be empty.
  void add(std::vector<Tensor> inputs, const Tensor& labels, std::size_t count);

  std::size_t size() const override { return samples_.size(); }
  Sample at(std::size_t index) const override { return samples_.at(index); }
  std::vector<std::string> input_names() const override { return names_; }
  bool has_uniform_shapes() const;  // all samples have the same shapes

 private:
  Tensor store(Tensor);  // in memory, or in the file

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::vector<std::string> names_;
  std::vector<Sample> samples_;
  std::size_t bytes_ = 0;  // stored in memory
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t file_bytes_ = 0;
};

void bind_data(py::module_&);

}  // namespace lpot::python
