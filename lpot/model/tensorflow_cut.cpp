#include "lpot/model/tensorflow_cut.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <openvino/frontend/manager.hpp>
#include <openvino/openvino.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/model/cut.h"
#include "lpot/model/pipeline.h"
#include "lpot/model/source_graph.h"
#include "lpot/model/tensor_names.h"
#include "lpot/model/tensorflow_names.h"

namespace lpot {
namespace {

using ov::frontend::InputModel;
using ov::frontend::Place;

ov::frontend::FrontEnd::Ptr load_front_end() {
  ov::frontend::FrontEndManager manager;
  const auto front_end = manager.load_by_framework("tf");
  front_end->add_extension(tensorflow_name_extensions());
  return front_end;
}

// "x" means the tensor "x:0".
std::string full_name(const std::string& tensor) {
  const auto colon = tensor.rfind(':');
  const bool numbered = colon != std::string::npos && colon + 1 < tensor.size() &&
                        tensor.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return numbered ? tensor : tensor + ":0";
}

Place::Ptr find_place(const InputModel& model, const std::string& tensor) {
  if (auto place = model.get_place_by_tensor_name(full_name(tensor))) return place;
  return model.get_place_by_tensor_name(tensor);
}

void check_names(const InputModel& model, const SourceGraph& graph, const std::vector<std::string>& tensors,
                 std::string_view key) {
  for (const std::string& tensor : tensors)
    if (!graph.producer(tensor) && !find_place(model, tensor))
      throw ModelError("load_model", fmt::format("{}: the graph has no tensor '{}'{}", key, tensor,
                                                 similar_tensors(tensor, graph.tensor_names())));
}

// Throws ModelError if an output depends on a placeholder that is not in options.inputs.
void check_dependencies(const SourceGraph& graph, const LoadOptions& options) {
  std::set<const SourceNode*> visited;
  const auto is_cut = [&](const std::string& tensor) {
    return std::any_of(options.inputs.begin(), options.inputs.end(),
                       [&](const std::string& input) { return same_tensor(input, tensor); });
  };
  for (const std::string& output : options.outputs) {
    std::vector<std::string> open{output};
    while (!open.empty()) {
      const std::string tensor = open.back();
      open.pop_back();
      const SourceNode* node = graph.producer(tensor);
      if (!node || is_cut(tensor)) continue;
      if (node->op == "Placeholder" && !options.inputs.empty())
        throw ModelError("load_model", missing_input_message(output, node->name, options.inputs));
      if (visited.insert(node).second) open.insert(open.end(), node->inputs.begin(), node->inputs.end());
    }
  }
}

// Finds the type and shape of a tensor by converting the ops before it; dynamic if that fails.
TensorInfo infer_tensor(const std::filesystem::path& path, const std::string& tensor) {
  try {
    const auto front_end = load_front_end();
    const auto model = front_end->load(path.string());
    model->override_all_outputs({find_place(*model, tensor)});
    const auto graph = front_end->convert(model);
    return {graph->output(0).get_element_type(), graph->output(0).get_partial_shape()};
  } catch (const std::exception&) {
    return {};
  }
}

void set_input(InputModel& model, const std::filesystem::path& path, const SourceGraph& graph,
               const std::string& tensor, const LoadOptions& options) {
  const auto given = std::find_if(options.input_shapes.begin(), options.input_shapes.end(),
                                  [&](const auto& entry) { return same_tensor(entry.first, tensor); });
  const SourceNode* node = graph.producer(tensor);
  const bool is_own_input = node && node->op == "Placeholder";
  TensorInfo info = describe_tensor(graph, tensor);
  const bool has_shape = given != options.input_shapes.end() || info.shape.rank().is_static();
  if (!is_own_input && (!has_shape || info.type.is_dynamic())) {
    const TensorInfo found = infer_tensor(path, tensor);
    if (info.type.is_dynamic()) info.type = found.type;
    if (info.shape.rank().is_dynamic()) info.shape = found.shape;
  }
  const Place::Ptr place = find_place(model, tensor);
  if (given != options.input_shapes.end()) {
    std::vector<ov::Dimension> dimensions;
    for (const std::int64_t dimension : given->second)
      dimensions.emplace_back(dimension < 0 ? ov::Dimension::dynamic() : ov::Dimension(dimension));
    info.shape = ov::PartialShape(dimensions);
  }
  if (is_own_input && info.shape.rank().is_dynamic()) return;
  if (info.shape.rank().is_dynamic()) throw ModelError("load_model", unknown_shape_message(tensor));
  model.set_element_type(place, info.type.is_dynamic() ? ov::element::f32 : info.type);
  model.set_partial_shape(place, info.shape);
}

}  // namespace

std::shared_ptr<ov::Model> convert_tensorflow(const std::filesystem::path& path, const LoadOptions& given) {
  const SourceGraph graph = read_source_graph(path, ModelFormat::TensorFlow);
  const LoadOptions options = cut_off_pipeline(graph, given);
  const auto front_end = load_front_end();
  const auto model = front_end->load(path.string());
  if (!options.cuts()) return front_end->convert(model);
  check_names(*model, graph, given.inputs, "model.inputs");
  check_names(*model, graph, given.outputs, "model.outputs");
  check_dependencies(graph, options);

  std::vector<Place::Ptr> inputs, outputs;
  for (const std::string& name : options.inputs) inputs.push_back(find_place(*model, name));
  for (const std::string& name : options.outputs)
    // The front end cannot forward an input as an output; cut_graph does it below.
    if (std::none_of(options.inputs.begin(), options.inputs.end(),
                     [&](const std::string& input) { return same_tensor(input, name); }))
      outputs.push_back(find_place(*model, name));
  if (outputs.empty()) outputs = model->get_outputs();
  if (inputs.empty()) {
    model->override_all_outputs(outputs);
  } else {
    model->extract_subgraph(inputs, outputs);
    for (const std::string& name : options.inputs) set_input(*model, path, graph, name, options);
  }
  return cut_graph(front_end->convert(model), options);
}

}  // namespace lpot
