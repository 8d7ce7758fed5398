#include "lpot/model/converted_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/frontend/manager.hpp>
#include <openvino/op/util/framework_node.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/model/formats.h"
#include "lpot/model/tensor_names.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

// Loads the file and sets the given shapes of its inputs.
struct Source {
  // The front end is in a library that the manager loads, so the manager must live as long as the model.
  ov::frontend::FrontEndManager manager;
  ov::frontend::FrontEnd::Ptr front_end;
  ov::frontend::InputModel::Ptr model;

  Source(const ModelFiles& files, const LoadOptions& options)
      : front_end(manager.load_by_framework(info_of(files.format).front_end)),
        model(front_end->load(files.path.string())) {
    for (const auto& input : model->get_inputs())
      for (const auto& [name, dimensions] : options.input_shapes)
        if (names_input(*input, name)) model->set_partial_shape(input, to_partial_shape(dimensions));
  }

  static bool names_input(const ov::frontend::Place& input, const std::string& wanted) {
    const std::vector<std::string> names = input.get_names();
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return same_tensor(name, wanted); });
  }

  static ov::PartialShape to_partial_shape(const std::vector<std::int64_t>& dimensions) {
    return {std::vector<ov::Dimension>(dimensions.begin(), dimensions.end())};
  }
};

// The reader of a tensor if it is the only one and has no other input that is not constant, else null.
const ov::Node* only_reader(const ov::Output<const ov::Node>& tensor) {
  const auto readers = tensor.get_target_inputs();
  if (readers.size() != 1) return nullptr;
  const ov::Node* reader = readers.begin()->get_node();
  for (const auto& input : reader->input_values())
    if (input != ov::Output<const ov::Node>(tensor) && !ov::is_type<op::Constant>(input.get_node())) return nullptr;
  return reader;
}

// The nodes from an unsupported node to the conversion that makes its result a tensor of floats. The result before is
// often complex, so it cannot be an input of a model.
std::vector<const ov::Node*> until_type_is_known(const ov::Node& unsupported) {
  std::vector<const ov::Node*> path;
  const ov::Node* node = &unsupported;
  while (node && node->get_output_size() == 1 && node->get_output_element_type(0).is_dynamic()) {
    node = only_reader(node->output(0));
    path.push_back(node);
  }
  return node && ov::is_type<op::Convert>(node) ? path : std::vector<const ov::Node*>{};
}

}  // namespace

std::shared_ptr<ov::Model> convert_partially(const ModelFiles& files, const LoadOptions& options) {
  const Source source(files, options);
  return source.front_end->convert_partially(source.model);
}

std::shared_ptr<ov::Model> convert_with_shapes(const ModelFiles& files, const LoadOptions& options) {
  const Source source(files, options);
  return source.front_end->convert(source.model);
}

SourceGraph to_source_graph(const ov::Model& graph) {
  std::set<const ov::Node*> unsupported;
  for (const auto& node : graph.get_ordered_ops())
    if (ov::is_type<ov::op::util::FrameworkNode>(node)) {
      unsupported.insert(node.get());
      for (const ov::Node* next : until_type_is_known(*node)) unsupported.insert(next);
    }
  SourceGraph result;
  std::map<ov::Output<const ov::Node>, std::string> names;
  for (const auto& node : graph.get_ordered_ops()) {
    SourceNode added;
    added.name = node->get_friendly_name();
    added.op = node->get_type_name();
    for (const auto& input : std::as_const(*node).input_values()) added.inputs.push_back(names.at(input));
    if (ov::is_type<op::Result>(node)) {
      result.outputs.push_back(added.inputs.front());
      continue;
    }
    for (const auto& output : std::as_const(*node).outputs()) {
      const auto& known = output.get_names();
      std::string name = known.empty() ? fmt::format("{}{}", kUnnamedTensor, names.size())
                                       : short_tensor_name(*std::min_element(known.begin(), known.end()));
      added.outputs.push_back(name);
      added.attributes.shapes["output_shapes"].push_back(output.get_partial_shape());
      names.emplace(output, std::move(name));
    }
    added.is_unsupported = unsupported.contains(node.get());
    result.nodes.push_back(std::move(added));
  }
  result.index();
  return result;
}

}  // namespace lpot
