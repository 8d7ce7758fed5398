// A data set with samples given by a test.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lpot/data/loader.h"

namespace lpot {

class MemoryData : public Dataset {
 public:
  explicit MemoryData(std::vector<Sample> samples, std::vector<std::string> names = {})
      : samples_(std::move(samples)), names_(std::move(names)) {}
  std::size_t size() const override { return samples_.size(); }
  Sample at(std::size_t index) const override { return samples_.at(index); }
  std::vector<std::string> input_names() const override { return names_; }
  std::string identity() const override { return "memory"; }

 private:
  std::vector<Sample> samples_;
  std::vector<std::string> names_;
};

inline DataLoader loader_of(std::vector<Sample> samples, std::size_t batch_size = 1) {
  return DataLoader(std::make_shared<MemoryData>(std::move(samples)), {}, {.batch_size = batch_size});
}

// Samples without labels.
inline std::vector<Sample> unlabelled(const std::vector<Tensor>& inputs) {
  std::vector<Sample> samples;
  for (const Tensor& input : inputs) samples.push_back({{input}, {}});
  return samples;
}

}  // namespace lpot
