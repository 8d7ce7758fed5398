#include "lpot/model/bodies.h"

#include <openvino/op/util/multi_subgraph_base.hpp>
#include <openvino/op/util/sub_graph_base.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;

void append_all_ops(const ov::Model& graph, ov::NodeVector& ops) {
  for (const auto& node : graph.get_ordered_ops()) {
    for (const Body& body : bodies_of(*node)) append_all_ops(*body.graph, ops);
    ops.push_back(node);
  }
}

std::shared_ptr<op::Result> add_result(const std::shared_ptr<ov::Model>& graph, const Output& tensor) {
  const auto result = std::make_shared<op::Result>(tensor);
  graph->add_results({result});
  return result;
}

// The other branch gets an output without values.
Output add_branch_output(op::If& owner, std::size_t branch, const Output& tensor) {
  const auto rank = static_cast<std::size_t>(tensor.get_partial_shape().rank().get_length());
  const auto nothing = std::make_shared<op::Constant>(tensor.get_element_type(), ov::Shape(rank, 0));
  const bool is_then = branch == 0;
  const auto then_result = add_result(owner.get_then_body(), is_then ? tensor : nothing->output(0));
  const auto else_result = add_result(owner.get_else_body(), is_then ? nothing->output(0) : tensor);
  return owner.set_output(then_result, else_result);
}

// The values of all steps, one after the other along a new first dimension.
Output add_loop_output(ov::op::util::SubGraphOp& owner, const Output& tensor) {
  const auto axis = op::Constant::create(ov::element::i64, ov::Shape{1}, {0});
  const auto of_step = std::make_shared<op::Unsqueeze>(tensor, axis);
  add_result(owner.get_function(), of_step);
  return owner.get_concatenated_slices(of_step, 0, 1, 1, -1, 0);
}

}  // namespace

std::vector<Body> bodies_of(const ov::Node& node) {
  const auto owner = ov::as_type<const ov::op::util::MultiSubGraphOp>(&node);
  if (!owner) return {};
  const auto& graphs = owner->get_functions();
  if (ov::is_type<op::If>(&node) && graphs.size() == 2) return {{"then", graphs[0]}, {"else", graphs[1]}};
  std::vector<Body> bodies;
  for (const auto& graph : graphs)
    bodies.push_back({graphs.size() == 1 ? "body" : "body" + std::to_string(bodies.size()), graph});
  return bodies;
}

ov::NodeVector all_ops(const ov::Model& graph) {
  ov::NodeVector ops;
  append_all_ops(graph, ops);
  return ops;
}

BodyOutputs::BodyOutputs(const ov::Model& graph) { add(graph, std::nullopt); }

void BodyOutputs::add(const ov::Model& graph, const std::optional<Owner>& owner) {
  for (const auto& node : graph.get_ordered_ops()) {
    if (owner) owners_.emplace(node.get(), *owner);
    const std::vector<Body> bodies = bodies_of(*node);
    for (std::size_t i = 0; i < bodies.size(); ++i) add(*bodies[i].graph, Owner{node, i});
  }
}

const BodyOutputs::Owner* BodyOutputs::owner_of(const ov::Node& node) const {
  const auto found = owners_.find(&node);
  return found == owners_.end() ? nullptr : &found->second;
}

std::optional<BodyOutputs::Exposed> BodyOutputs::expose(const Output& tensor) {
  const Owner* owner = owner_of(*tensor.get_node());
  if (!owner) return Exposed{tensor};
  if (tensor.get_partial_shape().rank().is_dynamic()) return std::nullopt;
  bool is_in_branch = false;
  for (const Owner* each = owner; each; each = owner_of(*each->op)) {
    const bool is_if = ov::is_type<op::If>(each->op);
    if (!is_if && (is_in_branch || !ov::is_type<ov::op::util::SubGraphOp>(each->op))) return std::nullopt;
    is_in_branch = is_in_branch || is_if;
  }
  Exposed exposed{tensor};
  for (; owner; owner = owner_of(*exposed.tensor.get_node())) {
    if (const auto branch = ov::as_type_ptr<op::If>(owner->op)) {
      exposed.tensor = add_branch_output(*branch, owner->body, exposed.tensor);
    } else {
      exposed.tensor = add_loop_output(*ov::as_type_ptr<ov::op::util::SubGraphOp>(owner->op), exposed.tensor);
      ++exposed.iteration_axes;
    }
  }
  return exposed;
}

std::shared_ptr<ov::Model> with_outputs(const ov::Model& graph, const ov::OutputVector& outputs) {
  return std::make_shared<ov::Model>(outputs, graph.get_sinks(), graph.get_parameters(), graph.get_variables());
}

}  // namespace lpot
