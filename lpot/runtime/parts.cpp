#include "lpot/runtime/parts.h"

#include <map>
#include <openvino/op/constant.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/result.hpp>
#include <openvino/openvino.hpp>
#include <set>

namespace lpot {
namespace {

using Source = GraphPart::Source;

GraphParts as_one(const std::shared_ptr<ov::Model>& graph) {
  GraphParts whole{{{graph, {}}}, {}};
  for (std::size_t i = 0; i < graph->inputs().size(); ++i) whole.parts[0].inputs.push_back({Source::kInputs, i});
  for (std::size_t i = 0; i < graph->outputs().size(); ++i) whole.outputs.push_back({0, i});
  return whole;
}

// Splits a copy of the graph.
class Cut {
 public:
  Cut(const ov::Model& graph, std::size_t most) : parts_(1) {
    for (std::size_t i = 0; i < graph.get_parameters().size(); ++i) input_of_[graph.get_parameters()[i].get()] = i;
    std::map<const ov::Node*, std::size_t> results_of;
    for (const auto& result : graph.get_results()) ++results_of[result->get_input_node_ptr(0)];
    std::size_t results = 0;  // of the last part
    for (const auto& node : graph.get_ordered_ops()) {
      if (ov::is_type<ov::op::v0::Result>(node)) continue;
      if (is_constant(*node)) constant_.insert(node.get());
      if (results >= most && !is_everywhere(*node)) {
        parts_.emplace_back();
        results = 0;
      }
      part_of_[node.get()] = parts_.size() - 1;
      results += results_of.contains(node.get()) ? results_of.at(node.get()) : 0;
      if (!is_everywhere(*node))
        for (ov::Input<ov::Node> input : node->inputs()) feed(input, parts_.size() - 1);
    }
  }

  GraphParts finish(const ov::Model& graph) {
    GraphParts cut;
    for (const auto& result : graph.get_results()) {
      const ov::Output<ov::Node> tensor = result->input_value(0);
      const std::size_t part = part_of_.at(tensor.get_node());
      if (!is_everywhere(*tensor.get_node())) {
        cut.outputs.push_back(part_output(tensor));
        continue;
      }
      feed(result->input(0), part);
      parts_[part].results.push_back(result);
      cut.outputs.push_back({part, parts_[part].results.size() - 1});
    }
    for (Part& part : parts_)
      cut.parts.push_back({std::make_shared<ov::Model>(part.results, part.parameters), std::move(part.inputs)});
    return cut;
  }

 private:
  struct Part {
    ov::ResultVector results;
    ov::ParameterVector parameters;
    std::vector<Source> inputs;  // the source of each parameter
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<ov::op::v0::Parameter>>
        of_sources;  // the parameter of each source
  };

  // Also true for an op that only depends on constants.
  bool is_constant(const ov::Node& node) const {
    if (ov::is_type<ov::op::v0::Constant>(&node)) return true;
    for (std::size_t i = 0; i < node.get_input_size(); ++i)
      if (!constant_.contains(node.get_input_node_ptr(i))) return false;
    return node.get_input_size() > 0;
  }

  // Ops that every part can have as a copy.
  bool is_everywhere(const ov::Node& node) const {
    return constant_.contains(&node) || ov::is_type<ov::op::v0::Parameter>(&node);
  }

  // The index of a tensor among the outputs of its part. Adds the output if needed.
  Source part_output(const ov::Output<ov::Node>& tensor) {
    const std::size_t number = part_of_.at(tensor.get_node());
    Part& part = parts_[number];
    const auto [found, is_new] = part_outputs_.try_emplace(tensor, Source{number, part.results.size()});
    if (is_new) part.results.push_back(std::make_shared<ov::op::v0::Result>(tensor));
    return found->second;
  }

  // Replaces an input that comes from another part with a parameter of this part.
  void feed(ov::Input<ov::Node> input, std::size_t part_number) {
    const ov::Output<ov::Node> tensor = input.get_source_output();
    const ov::Node* producer = tensor.get_node();
    if (constant_.contains(producer)) return;
    const auto of_whole = input_of_.find(producer);
    if (of_whole == input_of_.end() && part_of_.at(producer) == part_number) return;
    const Source source = of_whole == input_of_.end() ? part_output(tensor) : Source{Source::kInputs, of_whole->second};
    Part& part = parts_[part_number];
    auto& parameter = part.of_sources[{source.part, source.index}];
    if (!parameter) {
      parameter = std::make_shared<ov::op::v0::Parameter>(tensor.get_element_type(), tensor.get_partial_shape());
      part.parameters.push_back(parameter);
      part.inputs.push_back(source);
    }
    input.replace_source_output(parameter);
  }

  std::vector<Part> parts_;
  std::set<const ov::Node*> constant_;
  std::map<const ov::Node*, std::size_t> input_of_;  // index of each parameter of the whole graph
  std::map<const ov::Node*, std::size_t> part_of_;
  std::map<ov::Output<ov::Node>, Source> part_outputs_;
};

}  // namespace

GraphParts cut_by_outputs(const std::shared_ptr<ov::Model>& graph, std::size_t most) {
  if (most == 0 || graph->get_results().size() <= most || !graph->get_sinks().empty() ||
      !graph->get_variables().empty())
    return as_one(graph);
  const std::shared_ptr<ov::Model> copy = graph->clone();
  return Cut(*copy, most).finish(*copy);
}

}  // namespace lpot
