// The constants of a source graph, with the changes that recipes have made so far.
#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

class Constants {
 public:
  // The model must outlive this object.
  explicit Constants(const Model&);

  // The current values, including changes. Throws ModelError when the graph has no such constant.
  std::vector<float> values(const std::string& name) const;
  void set(const std::string& name, std::vector<float> values) { changed_[name] = std::move(values); }
  // Divides each value by the divisor of its channel; the constant has one value per channel.
  void divide(const std::string& name, const std::vector<float>& divisors);

  std::vector<ConstantEdit> edits() const;

 private:
  std::unordered_map<std::string, const ov::Node*> constants_;  // by name; searching the graph each time is slow
  std::map<std::string, std::vector<float>> changed_;
};

}  // namespace lpot
