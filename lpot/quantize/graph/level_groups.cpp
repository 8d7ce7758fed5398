#include "lpot/quantize/graph/level_groups.h"

#include <algorithm>
#include <limits>

#include "lpot/quantize/graph/activation_range.h"

namespace lpot {
namespace {

double mean_power(const TensorStatistics& tensor) {
  double sum = 0;
  for (const ChannelStatistics& channel : tensor.channels()) sum += channel.mean_square();
  return tensor.channels().empty() ? 0 : sum / static_cast<double>(tensor.channels().size());
}

// The smallest levels that contain both.
Range contain_both(const Range& a, const Range& b, bool needs_zero_point_zero) {
  const Range both{std::min(a.low, b.low), std::max(a.high, b.high)};
  if (both == a || both == b) return both;
  if (!needs_zero_point_zero || both.low == 0) return activation_levels(both, Symmetry::Asymmetric);
  const float magnitude = std::max(-both.low, both.high);
  return activation_levels({-magnitude, magnitude}, Symmetry::Symmetric);
}

}  // namespace

double rounding_noise(const Range& levels, const TensorStatistics& tensor) {
  const double step = static_cast<double>(levels.high - levels.low) / 255, power = mean_power(tensor);
  return power > 0 ? step * step / 12 / power : 0;
}

LeveledTensors leveled_tensors(const Edits& edits) {
  LeveledTensors tensors;
  std::set<std::string> ambiguous;
  for (const OpEdit& edit : edits.ops) {
    if (edit.activation.empty()) continue;
    const auto [known, is_new] = tensors.try_emplace(edit.activation, LeveledTensor{edit.levels});
    ++known->second.readers;
    known->second.needs_zero_point_zero |= edit.type == "ConvolutionBackpropData";
    if (!edit.written_divisors().empty() || !(known->second.levels == edit.levels)) ambiguous.insert(edit.activation);
  }
  for (const std::string& tensor : ambiguous) tensors.erase(tensor);
  return tensors;
}

double rounding_noise(const LeveledTensors& tensors, const Statistics& statistics) {
  double noise = 0;
  for (const auto& [name, tensor] : tensors)
    if (const auto found = statistics.find(name); found != statistics.end())
      noise += static_cast<double>(tensor.readers) * rounding_noise(tensor.levels, found->second);
  return noise;
}

LevelGroups::LevelGroups(const LeveledTensors& leveled, const Statistics& statistics)
    : leveled_(leveled),
      statistics_(statistics),
      remaining_noise_(kMaxAddedNoise * rounding_noise(leveled, statistics)) {
  for (const auto& [name, tensor] : leveled) add(name);
}

void LevelGroups::add(const std::string& tensor) {
  if (!group_of_.emplace(tensor, groups_.size()).second) return;
  const auto known = leveled_.find(tensor);
  if (known == leveled_.end())
    groups_.push_back({.levels = {}, .tensors = {tensor}});
  else
    groups_.push_back({known->second.levels, true, known->second.needs_zero_point_zero, {tensor}});
}

std::set<std::size_t> LevelGroups::groups_of(const std::set<std::string>& tensors) const {
  std::set<std::size_t> groups;
  for (const std::string& tensor : tensors) groups.insert(group_of_.at(tensor));
  return groups;
}

LevelGroups::Group LevelGroups::joined(const std::set<std::string>& tensors) const {
  Group all;
  const std::set<std::size_t> parts = groups_of(tensors);
  for (const std::size_t part : parts) all.needs_zero_point_zero |= groups_[part].needs_zero_point_zero;
  for (const std::size_t part : parts) {
    const Group& group = groups_[part];
    all.tensors.insert(all.tensors.end(), group.tensors.begin(), group.tensors.end());
    if (!group.has_levels) continue;
    all.levels = all.has_levels ? contain_both(all.levels, group.levels, all.needs_zero_point_zero) : group.levels;
    all.has_levels = true;
  }
  // The largest levels of the parts may have a zero point.
  if (all.needs_zero_point_zero && all.levels.low != 0 && Quantization(all.levels).zero_point != 0) {
    const float magnitude = std::max(-all.levels.low, all.levels.high);
    all.levels = activation_levels({-magnitude, magnitude}, Symmetry::Symmetric);
  }
  return all;
}

double LevelGroups::noise_of(const Group& group) const {
  double noise = 0;
  for (const std::string& name : group.tensors)
    if (const auto known = leveled_.find(name); known != leveled_.end() && statistics_.contains(name))
      noise += static_cast<double>(known->second.readers) * rounding_noise(group.levels, statistics_.at(name));
  return noise;
}

double LevelGroups::added_noise(const std::set<std::string>& tensors) const {
  double before = 0;
  for (const std::size_t group : groups_of(tensors)) before += noise_of(groups_[group]);
  return noise_of(joined(tensors)) - before;
}

void LevelGroups::join(std::vector<std::set<std::string>> sets) {
  for (const auto& set : sets)
    for (const std::string& tensor : set) add(tensor);
  while (!sets.empty()) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < sets.size() && least > 0; ++i)
      if (const double added = added_noise(sets[i]); added < least) {
        least = added;
        best = i;
      }
    if (least > remaining_noise_) return;  // joins only make the noise of later ones larger
    remaining_noise_ -= std::max(0.0, least);
    Group group = joined(sets[best]);
    for (const std::size_t part : groups_of(sets[best])) groups_[part].tensors.clear();
    for (const std::string& tensor : group.tensors) group_of_[tensor] = groups_.size();
    groups_.push_back(std::move(group));
    sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(best));
  }
}

}  // namespace lpot
