#include "lpot/quantize/writers/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <set>
#include <utility>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/quantize/writers/onnx_opset.h"
#include "lpot/quantize/writers/onnx_writer.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostBytes = (std::uintmax_t{1} << 31) - 1;  // of one protobuf message

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw ModelError("export_onnx", fmt::format("{}: {}", path.string(), what));
}

bool is_external(const onnx::TensorProto& tensor) {
  return tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL;
}

onnx::ModelProto read_onnx(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  if (bytes.size() > kMostBytes) refuse(path, "more than 2 GB, which one ONNX file cannot hold");
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model.has_graph())
    refuse(path, "cannot be read as ONNX; is the file whole?");
  const auto& constants = model.graph().initializer();
  if (std::any_of(constants.begin(), constants.end(), is_external))
    refuse(path,
           "keeps weights in files of their own (external data), which cannot be written as ONNX yet; save the model "
           "in one file");
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

// A model that begins or ends at other tensors than the file would be written with the ends of the file.
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
    refuse(source.source, "was cut at tensors (model.inputs, model.outputs), so it cannot be written as ONNX");
}

}  // namespace

std::size_t export_onnx(const Model& source, const Edits& edits, const fs::path& target) {
  if (source.format != ModelFormat::Onnx)
    refuse(source.source, fmt::format("a model in the format {} cannot be written as ONNX", to_string(source.format)));
  onnx::ModelProto model = read_onnx(source.source);
  check_not_cut(source, model.graph());
  raise_opset(model, known_ranks(*source.graph));
  OnnxWriter(source, edits, *model.mutable_graph()).run();
  if (model.ByteSizeLong() > kMostBytes) refuse(target, "more than 2 GB, which one ONNX file cannot hold");
  const std::string bytes = model.SerializeAsString();
  write_file(target, bytes);
  return bytes.size();
}

}  // namespace lpot
