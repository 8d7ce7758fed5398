#include "lpot/quantize/graph/edits_within.h"

#include <openvino/openvino.hpp>
#include <set>

#include "lpot/model/bodies.h"

namespace lpot {
namespace {

std::set<std::string> names_of(const ov::NodeVector& ops) {
  std::set<std::string> names;
  for (const auto& node : ops) {
    names.insert(op_name(*node));
    names.insert(node->get_friendly_name());
  }
  return names;
}

template <typename IsMissing>
Edits without(Edits edits, const IsMissing& is_missing) {
  const auto edits_missing_op = [&](const auto& edit) { return is_missing(edit.op); };
  std::erase_if(edits.ops, edits_missing_op);
  std::erase_if(edits.products, edits_missing_op);
  std::erase_if(edits.sequences, edits_missing_op);
  std::erase_if(edits.inputs, edits_missing_op);
  std::erase_if(edits.tables, edits_missing_op);
  std::erase_if(edits.constants, [&](const ConstantEdit& edit) { return is_missing(edit.constant); });
  std::erase_if(edits.f32_ops, [&](const OpInfo& op) { return is_missing(op.name); });
  return edits;
}

}  // namespace

Edits edits_within(const ov::Model& graph, Edits edits) {
  const std::set<std::string> names = names_of(all_ops(graph));
  return without(std::move(edits), [&](const std::string& name) { return !names.contains(name); });
}

// Edits of ops that the model does not have stay, so that writers report them.
Edits edits_of_main_graph(const Model& model, Edits edits) {
  const std::set<std::string> main = names_of(model.graph->get_ordered_ops()), all = names_of(all_ops(*model.graph));
  return without(std::move(edits), [&](const std::string& name) { return all.contains(name) && !main.contains(name); });
}

}  // namespace lpot
