#include "lpot/model/half_precision.h"

#include <algorithm>
#include <openvino/core/graph_util.hpp>
#include <openvino/op/eye.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <unordered_set>

#include "lpot/model/bodies.h"
#include "lpot/model/openvino_error.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

bool is_half(const ov::element::Type& type) { return type == ov::element::f16 || type == ov::element::bf16; }

// A constant that is only converted to another type.
bool is_compressed(const ov::Node& constant) {
  const auto readers = constant.output(0).get_target_inputs();
  return std::all_of(readers.begin(), readers.end(), [](const auto& reader) {
    return ov::is_type<op::Convert>(reader.get_node()) && !is_half(reader.get_node()->get_output_element_type(0));
  });
}

std::unordered_set<std::string> names_of_singles(const std::unordered_set<std::string>& names) {
  std::unordered_set<std::string> result;
  for (const std::string& name : names) result.insert(name + kInSinglePrecision);
  return result;
}

void widen_constant(const std::shared_ptr<op::Constant>& half) {
  const auto single = op::Constant::create(ov::element::f32, half->get_shape(), half->cast_vector<float>());
  single->set_friendly_name(half->get_friendly_name());
  single->output(0).set_names(half->output(0).get_names());
  half->output(0).replace(single->output(0));
}

// An input of the model keeps its type. Its readers get the values in f32.
void widen_input(const std::shared_ptr<ov::Node>& parameter) {
  const auto readers = parameter->output(0).get_target_inputs();
  const auto single = std::make_shared<op::Convert>(parameter, ov::element::f32);
  single->set_friendly_name(parameter->get_friendly_name() + kInSinglePrecision);
  single->output(0).set_names(names_of_singles(parameter->output(0).get_names()));
  for (ov::Input<ov::Node> reader : readers) reader.replace_source_output(single->output(0));
}

// An output of the model gets its type back.
void narrow_output(const std::shared_ptr<ov::Node>& result, const ov::element::Type& type) {
  ov::Output<ov::Node> single = result->input_value(0);
  const std::unordered_set<std::string> names = single.get_names();
  const auto half = std::make_shared<op::Convert>(single, type);
  half->set_friendly_name(result->get_friendly_name() + "/" + type.get_type_name());
  single.set_names(names_of_singles(names));
  half->output(0).set_names(names);
  result->input(0).replace_source_output(half->output(0));
}

// Changes the types that nodes declare. The types of other nodes follow from them.
void change_declared_types(ov::Model& graph, bool is_body) {
  for (const auto& node : graph.get_ordered_ops()) {
    for (const Body& body : bodies_of(*node)) change_declared_types(*body.graph, true);
    if (const auto constant = ov::as_type_ptr<op::Constant>(node)) {
      if (is_half(constant->get_element_type()) && !is_compressed(*constant)) widen_constant(constant);
    } else if (const auto parameter = ov::as_type_ptr<op::Parameter>(node)) {
      if (!is_half(parameter->get_element_type())) continue;
      if (is_body) {
        parameter->set_element_type(ov::element::f32);
      } else {
        widen_input(parameter);
      }
    } else if (const auto convert = ov::as_type_ptr<op::Convert>(node)) {
      if (is_half(convert->get_destination_type())) convert->set_convert_element_type(ov::element::f32);
    } else if (const auto range = ov::as_type_ptr<op::Range>(node)) {
      if (is_half(range->get_output_element_type(0))) range->set_output_type(ov::element::f32);
    } else if (const auto random = ov::as_type_ptr<op::RandomUniform>(node)) {
      if (is_half(random->get_out_type())) random->set_out_type(ov::element::f32);
    } else if (const auto eye = ov::as_type_ptr<ov::op::v9::Eye>(node)) {
      if (is_half(eye->get_out_type())) eye->set_out_type(ov::element::f32);
    }
  }
}

// Conversions next to inputs and outputs stay: without them, the input or output would also get the name of the other
// side.
bool is_at_an_end(const ov::Node& convert) {
  const auto readers = convert.output(0).get_target_inputs();
  return ov::is_type<op::Parameter>(convert.get_input_node_ptr(0)) ||
         std::any_of(readers.begin(), readers.end(),
                     [](const auto& reader) { return ov::is_type<op::Result>(reader.get_node()); });
}

void remove_conversions_without_effect(const ov::Model& graph) {
  for (const auto& node : all_ops(graph))
    if (ov::is_type<op::Convert>(node) && node->get_input_element_type(0) == node->get_output_element_type(0) &&
        !is_at_an_end(*node))
      ov::replace_output_update_name(node->output(0), node->input_value(0));
}

// Throws ov::Exception if OpenVINO does not accept the result.
std::shared_ptr<ov::Model> converted_to_single(const ov::Model& source) {
  const std::shared_ptr<ov::Model> graph = source.clone();
  std::vector<ov::element::Type> output_types;
  for (const auto& result : graph->get_results()) output_types.push_back(result->get_input_element_type(0));
  change_declared_types(*graph, false);
  graph->validate_nodes_and_infer_types();
  remove_conversions_without_effect(*graph);
  for (std::size_t i = 0; i < output_types.size(); ++i)
    if (const auto& result = graph->get_results()[i]; result->get_input_element_type(0) != output_types[i])
      narrow_output(result, output_types[i]);
  graph->validate_nodes_and_infer_types();
  return graph;
}

}  // namespace

bool computes_in_half(const ov::Model& graph) {
  const ov::NodeVector nodes = all_ops(graph);
  return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
    const bool is_output_half =
        node->get_output_size() > 0 && is_half(node->get_output_element_type(0)) && !ov::is_type<op::Result>(node);
    return is_output_half && !(ov::is_type<op::Constant>(node) && is_compressed(*node));
  });
}

std::shared_ptr<ov::Model> in_single_precision(const std::shared_ptr<ov::Model>& source) {
  if (!computes_in_half(*source)) return source;
  try {
    return converted_to_single(*source);
  } catch (const ov::Exception&) {
    return source;
  }
}

std::string single_precision_error(const ov::Model& graph) {
  try {
    if (computes_in_half(graph)) converted_to_single(graph);
  } catch (const ov::Exception& error) {
    return shorten_openvino_message(error.what());
  }
  return "";
}

}  // namespace lpot
