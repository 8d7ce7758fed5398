#include "lpot/quantize/graph/unified_levels.h"

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>
#include <set>

#include "lpot/calibrate/observe.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {
namespace {

using Output = ov::Output<ov::Node>;

// The levels of the tensors that int8 ops read, by tensor. Without tensors that ops read with different levels.
std::map<std::string, Range> levels_by_tensor(const Edits& edits) {
  std::map<std::string, Range> levels;
  std::set<std::string> ambiguous;
  for (const OpEdit& edit : edits.ops) {
    if (edit.activation.empty()) continue;
    if (!edit.written_divisors().empty()) {
      ambiguous.insert(edit.activation);
      continue;
    }
    const auto [known, is_new] = levels.try_emplace(edit.activation, edit.levels);
    if (!is_new && !(known->second == edit.levels)) ambiguous.insert(edit.activation);
  }
  for (const std::string& tensor : ambiguous) levels.erase(tensor);
  return levels;
}

// The smallest levels that contain both.
Range join_levels(const Range& a, const Range& b) {
  const Range both{std::min(a.low, b.low), std::max(a.high, b.high)};
  if (both == a || both == b) return both;
  return activation_levels(both, Symmetry::Asymmetric);
}

float width_of(const Range& range) { return range.high - range.low; }

// Sets of tensors with common levels.
class LevelGroups {
 public:
  explicit LevelGroups(std::map<std::string, Range> levels) {
    for (const auto& [tensor, range] : levels) {
      groups_.push_back({range, width_of(range), {tensor}});
      group_of_[tensor] = groups_.size() - 1;
    }
  }

  bool contains(const std::string& tensor) const { return group_of_.contains(tensor); }
  const Range& levels(const std::string& tensor) const { return groups_[group_of_.at(tensor)].levels; }

  void join(const std::string& one, const std::string& other) {
    const std::size_t a = group_of_.at(one), b = group_of_.at(other);
    if (a == b) return;
    const Range levels = join_levels(groups_[a].levels, groups_[b].levels);
    const float narrowest = std::min(groups_[a].narrowest, groups_[b].narrowest);
    if (width_of(levels) > kMaxWidening * narrowest) return;
    groups_[a].levels = levels;
    groups_[a].narrowest = narrowest;
    for (const std::string& tensor : groups_[b].tensors) {
      group_of_[tensor] = a;
      groups_[a].tensors.push_back(tensor);
    }
    groups_[b].tensors.clear();
  }

 private:
  struct Group {
    Range levels;
    float narrowest;  // width of a tensor's own levels
    std::vector<std::string> tensors;
  };
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> group_of_;
};

// The first tensor with int8 readers on the way up from this one, through ops that preserve values.
std::optional<std::string> first_above(Output tensor, const LevelGroups& groups) {
  while (true) {
    if (std::string name = tensor_name(tensor); groups.contains(name)) return name;
    if (!preserves_values(*tensor.get_node(), {})) return std::nullopt;
    tensor = tensor.get_node()->input_value(0);
  }
}

// The same on the way down.
std::optional<std::string> first_below(Output tensor, const LevelGroups& groups) {
  while (true) {
    if (std::string name = tensor_name(tensor); groups.contains(name)) return name;
    const auto readers = tensor.get_target_inputs();
    if (readers.size() != 1 || !preserves_values(*readers.begin()->get_node(), {})) return std::nullopt;
    tensor = readers.begin()->get_node()->output(0);
  }
}

}  // namespace

void unify_pooled_levels(const Model& model, Edits& edits) {
  const OpIndex index(*model.graph, "quantize");
  const std::map<std::string, Range> levels = levels_by_tensor(edits);
  for (OpEdit& edit : edits.ops) {
    if (edit.activation.empty() || !edit.written_divisors().empty()) continue;
    const ov::Node* pool = index.find(edit.op, edit.type)->get_input_node_ptr(0);
    if (std::string_view(pool->get_type_name()) != "MaxPool") continue;
    if (const auto found = levels.find(tensor_name(pool->input_value(0))); found != levels.end())
      edit.levels = found->second;
  }
}

void unify_concatenated_levels(const Model& model, Edits& edits) {
  if (!edits.through_concat) return;
  LevelGroups groups(levels_by_tensor(edits));
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (!ov::is_type<ov::opset8::Concat>(node)) continue;
    const auto below = first_below(node->output(0), groups);
    if (!below) continue;
    for (const Output& input : node->input_values())
      if (const auto above = first_above(input, groups)) groups.join(*above, *below);
  }
  for (OpEdit& edit : edits.ops)
    if (!edit.activation.empty() && groups.contains(edit.activation)) edit.levels = groups.levels(edit.activation);
}

}  // namespace lpot
