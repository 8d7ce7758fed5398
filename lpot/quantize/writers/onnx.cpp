#include "lpot/quantize/writers/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <set>
#include <utility>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/quantize/graph/edits_within.h"
#include "lpot/quantize/writers/onnx_data.h"
#include "lpot/quantize/writers/onnx_half.h"
#include "lpot/quantize/writers/onnx_opset.h"
#include "lpot/quantize/writers/onnx_writer.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMaxBytes = (std::uintmax_t{1} << 31) - 1;  // limit of one protobuf message

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw ModelError("export_onnx", fmt::format("{}: {}", path.string(), what));
}

onnx::ModelProto read_onnx(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  if (bytes.size() > kMaxBytes)
    refuse(path, fmt::format("the file has {} bytes; one ONNX file holds at most 2 GB", bytes.size()));
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model.has_graph())
    refuse(path, "not a valid ONNX file. Check that it is complete.");
  return model;
}

std::map<std::string, std::size_t> known_ranks(const ov::Model& graph) {
  std::map<std::string, std::size_t> ranks;
  for (const auto& node : graph.get_ordered_ops())
    for (const auto& output : node->outputs())
      for (const std::string& name : output.get_names())
        if (const ov::Rank rank = output.get_partial_shape().rank(); rank.is_static())
          ranks[name] = static_cast<std::size_t>(rank.get_length());
  return ranks;
}

// Writing a cut model would write the inputs and outputs of the file instead of those of the model.
void check_not_cut(const Model& source, const onnx::GraphProto& graph) {
  std::set<std::string> ends;
  for (const onnx::ValueInfoProto& input : graph.input()) ends.insert(input.name());
  for (const onnx::ValueInfoProto& output : graph.output()) ends.insert(output.name());
  const auto is_end = [&](const auto& port) {
    const auto& names = port.get_names();
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return ends.contains(name); });
  };
  const auto inputs = std::as_const(*source.graph).inputs(), outputs = std::as_const(*source.graph).outputs();
  if (static_cast<int>(outputs.size()) != graph.output_size() || !std::all_of(inputs.begin(), inputs.end(), is_end) ||
      !std::all_of(outputs.begin(), outputs.end(), is_end))
    refuse(source.source,
           "the model was cut at tensors; exporting a cut model to ONNX is not supported. Remove model.inputs and "
           "model.outputs.");
}

// Dimensions that the file leaves open and that model.input_shapes fixes. Some models can only be read with them.
void fix_input_shapes(const Model& source, onnx::GraphProto& graph) {
  std::map<std::string, ov::PartialShape> shapes;
  for (const auto& input : std::as_const(*source.graph).inputs())
    for (const std::string& name : input.get_names()) shapes[name] = input.get_partial_shape();
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    const auto found = shapes.find(input.name());
    if (found == shapes.end() || !input.type().tensor_type().has_shape()) continue;
    auto& dimensions = *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim();
    const ov::PartialShape& shape = found->second;
    if (shape.rank().is_dynamic() || static_cast<int>(shape.size()) != dimensions.size()) continue;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (auto& dimension = dimensions[static_cast<int>(i)]; shape[i].is_static() && !dimension.has_dim_value())
        dimension.set_dim_value(shape[i].get_length());
  }
}

}  // namespace

std::size_t export_onnx(const Model& source, const Edits& edits, const fs::path& target,
                        const std::string& final_name) {
  return export_onnx_split(source, edits, target, final_name, kMaxOneFile);
}

std::size_t export_onnx_split(const Model& source, const Edits& edits, const fs::path& target,
                              const std::string& final_name, std::uint64_t max_one_file) {
  if (source.format != ModelFormat::Onnx)
    refuse(source.source, fmt::format("found a model in the format {}; only ONNX models can be exported to ONNX",
                                      to_string(source.format)));
  onnx::ModelProto model = read_onnx(source.source);
  load_small_data(source.source, model);
  check_not_cut(source, model.graph());
  convert_to_single_precision(source, model);
  upgrade_opset(model, known_ranks(*source.graph));
  fix_input_shapes(source, *model.mutable_graph());
  const Edits of_main_graph = edits_of_main_graph(source, edits);
  OnnxWriter(source, of_main_graph, *model.mutable_graph()).run();
  const std::string name = final_name.empty() ? target.filename().string() : final_name;
  const std::size_t data_bytes = write_data({source.source, target, name, max_one_file}, model);
  if (model.ByteSizeLong() > kMaxBytes)
    refuse(target, fmt::format("the int8 model has {} bytes without its data; one ONNX file holds at most 2 GB",
                               model.ByteSizeLong()));
  const std::string bytes = model.SerializeAsString();
  write_file(target, bytes);
  return bytes.size() + data_bytes;
}

}  // namespace lpot
