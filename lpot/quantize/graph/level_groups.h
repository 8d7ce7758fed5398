// Groups of tensors that share their levels, and the noise that sharing adds.
//
//   LevelGroups groups(tensors, statistics);
//   groups.join({{"a", "b", "ab"}, {"ab", "pooled"}});  // each: tensors that one op without weights connects
//   Range levels = groups.levels("a");
//
// Common levels must contain all ranges of their group, so a tensor with a small range is rounded to larger steps. The
// noise of a tensor is the variance of rounding (step^2 / 12) over its power, once for each int8 op that reads it. As
// in other estimates (quantize/noise.h), the noise of a model is the sum over its ops.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// All joins of a model together may add this much noise, relative to the noise that its activations have without them.
// With 1, the power of the noise at most doubles: half a bit.
inline constexpr double kMaxAddedNoise = 1.0;

// Noise power over signal power of a tensor with these levels.
double rounding_noise(const Range& levels, const TensorStatistics&);

// A tensor that int8 ops read.
struct LeveledTensor {
  Range levels;
  std::size_t readers = 0;
  bool needs_zero_point_zero = false;  // an int8 kernel without zero points reads it
};
using LeveledTensors = std::map<std::string, LeveledTensor>;

// The tensors that int8 ops read without a division, all of them with the same levels.
LeveledTensors leveled_tensors(const Edits&);

// The sum over all tensors.
double rounding_noise(const LeveledTensors&, const Statistics&);

class LevelGroups {
 public:
  // Both arguments must outlive this object.
  LevelGroups(const LeveledTensors&, const Statistics&);

  // Joins the tensors of each set, beginning with the set that adds the least noise, until the bound is reached. A set
  // may contain tensors that no int8 op reads: they have no noise, and connect sets.
  void join(std::vector<std::set<std::string>> sets);

  const Range& levels(const std::string& tensor) const { return groups_[group_of_.at(tensor)].levels; }

 private:
  struct Group {
    Range levels;
    bool has_levels = false;
    bool needs_zero_point_zero = false;
    std::vector<std::string> tensors;
  };

  void add(const std::string& tensor);
  Group joined(const std::set<std::string>& tensors) const;
  double noise_of(const Group&) const;
  double added_noise(const std::set<std::string>& tensors) const;
  std::set<std::size_t> groups_of(const std::set<std::string>& tensors) const;

  const LeveledTensors& leveled_;
  const Statistics& statistics_;
  double remaining_noise_;
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> group_of_;
};

}  // namespace lpot
