#include "lpot/model/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <openvino/openvino.hpp>

#include "lpot/model/bodies.h"

namespace lpot {
namespace {

// In the rt_info of the graph.
const std::vector<std::string> kPrecisionPath{"lpot", "inference_precision"};

std::vector<std::int64_t> to_dimensions(const ov::PartialShape& shape) {
  if (shape.rank().is_dynamic()) return {};
  std::vector<std::int64_t> dimensions;
  for (const ov::Dimension& dimension : shape)
    dimensions.push_back(dimension.is_static() ? dimension.get_length() : -1);
  return dimensions;
}

template <typename Outputs>
std::vector<Port> to_ports(const Outputs& outputs) {
  std::vector<Port> ports;
  for (const auto& output : outputs) {
    // A port may have several names. The alphabetically first name is the same on every load.
    const auto& names = output.get_names();
    std::string name =
        names.empty() ? output.get_node()->get_friendly_name() : *std::min_element(names.begin(), names.end());
    ports.push_back({std::move(name), output.get_element_type().get_type_name(),
                     to_dimensions(output.get_partial_shape()), !output.get_names().empty()});
  }
  return ports;
}

}  // namespace

Model with_precision(Model model, InferencePrecision precision) {
  model.precision = precision;
  if (precision != InferencePrecision::F32 || written_precision(model) != precision)
    model.graph->set_rt_info(std::string(to_string(precision)), kPrecisionPath);
  return model;
}

InferencePrecision written_precision(const Model& model) {
  if (!model.graph->has_rt_info(kPrecisionPath)) return InferencePrecision::F32;
  const auto text = model.graph->get_rt_info<std::string>(kPrecisionPath);
  return parse<InferencePrecision>(text).value_or(InferencePrecision::F32);
}

Model Model::clone() const {
  Model copy = *this;
  copy.graph = graph->clone();
  return copy;
}

std::string Port::describe() const {
  std::vector<std::string> dimensions;
  for (const std::int64_t dimension : shape) dimensions.push_back(dimension < 0 ? "?" : std::to_string(dimension));
  return fmt::format("{} {} [{}]", name, element_type, fmt::join(dimensions, ","));
}

std::vector<Port> model_inputs(const Model& model) { return to_ports(std::as_const(*model.graph).inputs()); }
std::vector<Port> model_outputs(const Model& model) { return to_ports(std::as_const(*model.graph).outputs()); }

std::vector<OpInfo> list_ops(const Model& model) {
  std::vector<OpInfo> ops;
  for (const auto& node : all_ops(*model.graph)) {
    const std::string type = node->get_type_name();
    if (type != "Constant" && type != "Parameter" && type != "Result") ops.push_back({op_name(*node), type});
  }
  return ops;
}

std::string op_name(const ov::Node& node) {
  std::string name = node.get_friendly_name();
  if (name.ends_with(kKernelSuffix)) name.resize(name.size() - kKernelSuffix.size());
  return name;
}

}  // namespace lpot
