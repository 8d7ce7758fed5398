// The constants of a source graph while recipes change some of them.
#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

class Constants {
 public:
  // The model must outlive it.
  explicit Constants(const Model&);

  // As changed so far. Throws ModelError when the graph has no such constant.
  std::vector<float> values(const std::string& name) const;
  void set(const std::string& name, std::vector<float> values) { changed_[name] = std::move(values); }
  // One number for each channel is divided.
  void divide(const std::string& name, const std::vector<float>& divisors);

  std::vector<ConstantEdit> edits() const;

 private:
  std::unordered_map<std::string, const ov::Node*> constants_;  // by name: looking through the graph takes long
  std::map<std::string, std::vector<float>> changed_;
};

}  // namespace lpot
