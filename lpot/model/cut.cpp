#include "lpot/model/cut.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/model/openvino_error.h"
#include "lpot/model/tensor_names.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
constexpr std::string_view kResult = "/result";  // suffix of the results that a cut adds
using Tensors = std::map<std::string, ov::Output<ov::Node>>;

ov::PartialShape to_shape(const std::vector<std::int64_t>& dimensions) {
  std::vector<ov::Dimension> shape;
  for (const std::int64_t dimension : dimensions)
    shape.emplace_back(dimension < 0 ? ov::Dimension::dynamic() : ov::Dimension(dimension));
  return ov::PartialShape(shape);
}

const std::vector<std::int64_t>* given_shape(const LoadOptions& options, const std::string& tensor) {
  for (const auto& [name, shape] : options.input_shapes)
    if (same_tensor(name, tensor)) return &shape;
  return nullptr;
}

std::vector<std::string> names_of(const Tensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

// Tensors by their names in the source and by the names of the ops that compute them. The tensor names take precedence.
Tensors index_tensors(const ov::Model& graph) {
  Tensors tensors;
  const auto ops = graph.get_ordered_ops();
  for (const auto& node : ops)
    if (!ov::is_type<op::Result>(node))
      for (const auto& output : node->outputs())
        for (const std::string& name : output.get_names()) tensors.emplace(short_tensor_name(name), output);
  for (const auto& node : ops) {
    if (ov::is_type<op::Result>(node)) continue;
    tensors.emplace(node->get_friendly_name(), node->output(0));
    tensors.emplace(op_name(*node), node->output(0));
    for (std::size_t i = 1; i < node->get_output_size(); ++i)
      tensors.emplace(fmt::format("{}:{}", node->get_friendly_name(), i), node->output(i));
  }
  return tensors;
}

ov::Output<ov::Node> find_tensor(const Tensors& tensors, const std::string& name, std::string_view key) {
  const auto found = tensors.find(short_tensor_name(name));
  if (found != tensors.end()) return found->second;
  throw ModelError("load_model", fmt::format("{}: the model has no tensor '{}'{}", key, name,
                                             similar_tensors(name, names_of(tensors))));
}

std::shared_ptr<op::Parameter> replace_with_parameter(const ov::Output<ov::Node>& tensor, const std::string& name,
                                                      const LoadOptions& options) {
  if (const auto parameter = ov::as_type_ptr<op::Parameter>(tensor.get_node_shared_ptr())) return parameter;
  const std::vector<std::int64_t>* given = given_shape(options, name);
  if (!given && tensor.get_partial_shape().rank().is_dynamic())
    throw ModelError("load_model", unknown_shape_message(name));
  const ov::element::Type type = tensor.get_element_type().is_dynamic() ? ov::element::f32 : tensor.get_element_type();
  const auto parameter = std::make_shared<op::Parameter>(type, given ? to_shape(*given) : tensor.get_partial_shape());
  parameter->set_friendly_name(short_tensor_name(name));
  auto names = tensor.get_names();
  names.insert(name);
  ov::Output<ov::Node> source = tensor;
  source.set_names({});
  for (const ov::Input<ov::Node>& reader : source.get_target_inputs())
    reader.replace_source_output(parameter->output(0));
  parameter->output(0).set_names(names);
  return parameter;
}

std::string port_name(const ov::Output<ov::Node>& output) {
  const auto& names = output.get_names();
  return short_tensor_name(names.empty() ? output.get_node()->get_friendly_name()
                                         : *std::min_element(names.begin(), names.end()));
}

// The name from model.outputs, else the name of the tensor.
std::string result_name(const op::Result& result) {
  const std::string& name = result.get_friendly_name();
  return name.ends_with(kResult) ? name.substr(0, name.size() - kResult.size()) : port_name(result.input_value(0));
}

// The inputs that the results depend on, each with one output that needs it.
std::map<std::shared_ptr<op::Parameter>, std::string> needed_inputs(const ov::ResultVector& results) {
  std::map<std::shared_ptr<op::Parameter>, std::string> needed;
  std::set<ov::Node*> visited;
  for (const auto& result : results) {
    std::vector<std::shared_ptr<ov::Node>> open{result};
    while (!open.empty()) {
      const auto node = open.back();
      open.pop_back();
      if (!visited.insert(node.get()).second) continue;
      if (const auto parameter = ov::as_type_ptr<op::Parameter>(node)) needed.emplace(parameter, result_name(*result));
      for (const auto& input : node->input_values()) open.push_back(input.get_node_shared_ptr());
    }
  }
  return needed;
}

bool already_has(const std::vector<ov::Output<ov::Node>>& ports, const std::vector<std::string>& names) {
  if (names.empty()) return true;
  return std::equal(
      ports.begin(), ports.end(), names.begin(), names.end(), [](const auto& port, const std::string& name) {
        const auto& known = port.get_names();
        return std::any_of(known.begin(), known.end(), [&](const std::string& own) { return same_tensor(own, name); });
      });
}

ov::ParameterVector choose_inputs(const ov::Model& graph, const Tensors& tensors, const LoadOptions& options) {
  ov::ParameterVector inputs;
  for (const std::string& name : options.inputs) {
    inputs.push_back(replace_with_parameter(find_tensor(tensors, name, "model.inputs"), name, options));
    if (std::count(inputs.begin(), inputs.end(), inputs.back()) > 1)
      throw ModelError("load_model",
                       fmt::format("model.inputs: '{}' is listed twice; expected each tensor once", name));
  }
  return options.inputs.empty() ? graph.get_parameters() : inputs;
}

ov::ResultVector choose_outputs(const ov::Model& graph, const Tensors& tensors, const ov::ParameterVector& inputs,
                                const LoadOptions& options) {
  if (options.outputs.empty()) return graph.get_results();
  ov::ResultVector results;
  for (const std::string& name : options.outputs) {
    ov::Output<ov::Node> tensor;
    for (std::size_t i = 0; i < options.inputs.size(); ++i)
      if (same_tensor(options.inputs[i], name)) tensor = inputs[i]->output(0);
    if (!tensor.get_node()) tensor = find_tensor(tensors, name, "model.outputs");
    const auto& names = tensor.get_names();
    if (std::none_of(names.begin(), names.end(), [&](const std::string& own) { return same_tensor(own, name); }))
      tensor.add_names({name});
    results.push_back(std::make_shared<op::Result>(tensor));
    results.back()->set_friendly_name(short_tensor_name(name) + std::string(kResult));
  }
  return results;
}

void check_inputs(ov::ParameterVector& inputs, const ov::ResultVector& results, const LoadOptions& options) {
  const auto needed = needed_inputs(results);
  if (options.inputs.empty()) {
    std::erase_if(inputs, [&](const auto& input) { return !needed.contains(input); });
    return;
  }
  for (const auto& [input, output] : needed)
    if (std::find(inputs.begin(), inputs.end(), input) == inputs.end())
      throw ModelError("load_model", missing_input_message(output, port_name(input->output(0)), options.inputs));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!needed.contains(inputs[i]))
      throw ModelError(
          "load_model",
          fmt::format("model.inputs: no output depends on '{}'; remove it or change model.outputs", options.inputs[i]));
}

}  // namespace

std::string unknown_shape_message(const std::string& tensor) {
  const std::string name = short_tensor_name(tensor);
  return fmt::format(
      "model.inputs: the model does not contain the shape of '{}'; set it with model.input_shapes: {{{}: [...]}}", name,
      name);
}

std::string missing_input_message(const std::string& output, const std::string& input,
                                  const std::vector<std::string>& inputs) {
  return fmt::format(
      "model.inputs: the output '{}' also depends on the input '{}', which is not in the list ({}); add it", output,
      input, fmt::join(inputs, ", "));
}

std::shared_ptr<ov::Model> cut_graph(const std::shared_ptr<ov::Model>& graph, const LoadOptions& options) {
  if (already_has(graph->inputs(), options.inputs) && already_has(graph->outputs(), options.outputs)) return graph;
  const Tensors tensors = index_tensors(*graph);
  // Unknown names are reported before the graph is changed.
  for (const std::string& name : options.outputs) find_tensor(tensors, name, "model.outputs");
  ov::ParameterVector inputs = choose_inputs(*graph, tensors, options);
  const ov::ResultVector results = choose_outputs(*graph, tensors, inputs, options);
  check_inputs(inputs, results, options);
  std::shared_ptr<ov::Model> cut;
  try {
    cut = std::make_shared<ov::Model>(results, graph->get_sinks(), inputs, graph->get_variables(),
                                      graph->get_friendly_name());
    cut->get_rt_info() = graph->get_rt_info();
    cut->validate_nodes_and_infer_types();
  } catch (const std::exception& error) {
    throw ModelError("load_model",
                     fmt::format("model.inputs: the model cannot be cut at {}: {}. Check model.input_shapes",
                                 fmt::join(options.inputs, ", "), shorten_openvino_message(error.what())));
  }
  return cut;
}

void reshape_inputs(const std::shared_ptr<ov::Model>& graph, const LoadOptions& options) {
  std::map<ov::Output<ov::Node>, ov::PartialShape> shapes;
  std::vector<std::string> names;
  for (const auto& input : graph->inputs()) names.push_back(port_name(input));
  for (const auto& [name, dimensions] : options.input_shapes) {
    const auto inputs = graph->inputs();
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&, &wanted = name](const auto& input) {
      const auto& own = input.get_names();
      return std::any_of(own.begin(), own.end(),
                         [&](const std::string& known) { return same_tensor(known, wanted); }) ||
             same_tensor(input.get_node()->get_friendly_name(), wanted);
    });
    if (found == inputs.end())
      throw ModelError("load_model", fmt::format("model.input_shapes: the model has no input '{}'{}; its inputs are {}",
                                                 name, similar_tensors(name, names), fmt::join(names, ", ")));
    if (const ov::PartialShape shape = to_shape(dimensions); found->get_partial_shape() != shape)
      shapes.emplace(*found, shape);
  }
  if (shapes.empty()) return;
  try {
    graph->reshape(shapes);
  } catch (const std::exception& error) {
    std::vector<std::string> wanted;
    for (const auto& [input, shape] : shapes)
      wanted.push_back(fmt::format("{}: {}", port_name(input), shape.to_string()));
    throw ModelError("load_model", fmt::format("model.input_shapes: the model does not accept {}: {}",
                                               fmt::join(wanted, ", "), shorten_openvino_message(error.what())));
  }
}

}  // namespace lpot
