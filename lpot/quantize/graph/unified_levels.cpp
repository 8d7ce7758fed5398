#include "lpot/quantize/graph/unified_levels.h"

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

#include "lpot/calibrate/observe.h"
#include "lpot/plan/capability.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/level_groups.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {
namespace {

using Output = ov::Output<ov::Node>;

bool joins_or_splits(const ov::Node& node) {
  if (node.get_output_element_type(0) != ov::element::f32) return false;
  return ov::is_type<ov::opset8::Concat>(&node) || splits_values(node);
}

bool passes_integers(const ov::Node& node) { return joins_or_splits(node) || preserves_values(node, {}); }

// Whether all readers of a tensor may read the same integers: ops that may be int8, and ops that pass integers to them.
bool has_integer_readers_only(const Output& tensor) {
  const auto readers = tensor.get_target_inputs();
  return std::all_of(readers.begin(), readers.end(), [](const ov::Input<ov::Node>& reader) {
    const ov::Node& node = *reader.get_node();
    return ov::is_type<ov::opset8::Concat>(&node) ||
           (reader.get_index() == 0 &&
            (find_capability(node.get_type_name()) || passes_integers(node) || is_average(node))) ||
           is_residual_sum(node);
  });
}

// The float tensors that an op connects: data inputs and outputs. Empty if it cannot pass integers.
std::set<std::string> connected_by(const ov::Node& node) {
  std::set<std::string> tensors;
  const std::size_t inputs = ov::is_type<ov::opset8::Concat>(&node) ? node.get_input_size() : 1;
  for (std::size_t i = 0; i < inputs; ++i) {
    const Output input = node.input_value(i);
    if (ov::is_type<ov::opset8::Constant>(input.get_node())) return {};
    tensors.insert(tensor_name(input));
  }
  for (const Output& output : const_cast<ov::Node&>(node).outputs()) {
    if (output.get_target_inputs().empty()) continue;
    if (!has_integer_readers_only(output)) return {};
    tensors.insert(tensor_name(output));
  }
  return tensors;
}

// Adds the sets that have tensors in common with the sets of `seeds`, and so on.
std::vector<std::set<std::string>> connected_sets(std::vector<std::set<std::string>> seeds,
                                                  std::vector<std::set<std::string>> others) {
  std::set<std::string> known;
  for (const auto& set : seeds) known.insert(set.begin(), set.end());
  const auto touches = [&](const std::set<std::string>& set) {
    return std::any_of(set.begin(), set.end(), [&](const std::string& tensor) { return known.contains(tensor); });
  };
  for (auto next = std::find_if(others.begin(), others.end(), touches); next != others.end();
       next = std::find_if(others.begin(), others.end(), touches)) {
    known.insert(next->begin(), next->end());
    seeds.push_back(std::move(*next));
    others.erase(next);
  }
  return seeds;
}

// One set of tensors for each concatenation and split, and for each op that preserves values and is connected to them.
std::vector<std::set<std::string>> sets_to_join(const Model& model) {
  std::vector<std::set<std::string>> seeds, others;
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (node->get_output_size() == 0 || !passes_integers(*node)) continue;
    std::set<std::string> tensors = connected_by(*node);
    if (!tensors.empty()) (joins_or_splits(*node) ? seeds : others).push_back(std::move(tensors));
  }
  return connected_sets(std::move(seeds), std::move(others));
}

// The int8 kernel of a transposed convolution needs the zero point 0.
bool may_have_levels(const OpEdit& edit, const Range& levels) {
  return edit.type != "ConvolutionBackpropData" || Quantization(levels).zero_point == 0;
}

}  // namespace

void unify_pooled_levels(const Model& model, Edits& edits) {
  const OpIndex index(*model.graph, "quantize");
  const LeveledTensors leveled = leveled_tensors(edits);
  for (OpEdit& edit : edits.ops) {
    if (edit.activation.empty() || !edit.written_divisors().empty()) continue;
    const ov::Node* pool = index.find(edit.op, edit.type)->get_input_node_ptr(0);
    if (std::string_view(pool->get_type_name()) != "MaxPool") continue;
    const auto found = leveled.find(tensor_name(pool->input_value(0)));
    if (found != leveled.end() && may_have_levels(edit, found->second.levels)) edit.levels = found->second.levels;
  }
}

void unify_connected_levels(const Model& model, const Statistics& statistics, Edits& edits) {
  if (!edits.through_concat) return;
  const LeveledTensors leveled = leveled_tensors(edits);
  LevelGroups groups(leveled, statistics);
  groups.join(sets_to_join(model));
  for (OpEdit& edit : edits.ops)
    if (leveled.contains(edit.activation)) edit.levels = groups.levels(edit.activation);
}

}  // namespace lpot
