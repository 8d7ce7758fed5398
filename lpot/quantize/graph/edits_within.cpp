#include "lpot/quantize/graph/edits_within.h"

#include <openvino/openvino.hpp>
#include <set>

#include "lpot/model/bodies.h"

namespace lpot {
namespace {

Edits edits_of(const ov::NodeVector& ops, Edits edits) {
  std::set<std::string> names;
  for (const auto& node : ops) {
    names.insert(op_name(*node));
    names.insert(node->get_friendly_name());
  }
  const auto is_missing = [&](const auto& edit) { return !names.contains(edit.op); };
  std::erase_if(edits.ops, is_missing);
  std::erase_if(edits.products, is_missing);
  std::erase_if(edits.sequences, is_missing);
  std::erase_if(edits.inputs, is_missing);
  std::erase_if(edits.tables, is_missing);
  std::erase_if(edits.constants, [&](const ConstantEdit& edit) { return !names.contains(edit.constant); });
  std::erase_if(edits.f32_ops, [&](const OpInfo& op) { return !names.contains(op.name); });
  return edits;
}

}  // namespace

Edits edits_within(const ov::Model& graph, Edits edits) { return edits_of(all_ops(graph), std::move(edits)); }

Edits edits_of_main_graph(const Model& model, Edits edits) {
  return edits_of(model.graph->get_ordered_ops(), std::move(edits));
}

}  // namespace lpot
