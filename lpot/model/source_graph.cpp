#include "lpot/model/source_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "lpot/core/mapped_file.h"
#include "lpot/model/onnx_file.h"
#include "lpot/model/tensor_names.h"
#include "lpot/proto/proto_reader.h"

namespace lpot {
namespace {

// Field numbers of TensorFlow's GraphDef (graph.proto, node_def.proto, attr_value.proto, tensor_shape.proto).
ov::PartialShape read_shape(ProtoReader shape) {
  std::vector<ov::Dimension> dimensions;
  while (shape.next()) {
    if (shape.field() == 3 && shape.number() != 0) return ov::PartialShape::dynamic();
    if (shape.field() != 2) continue;
    std::int64_t size = 0;
    for (ProtoReader dimension = shape.message(); dimension.next();)
      if (dimension.field() == 1) size = static_cast<std::int64_t>(dimension.number());
    dimensions.emplace_back(size < 0 ? ov::Dimension::dynamic() : ov::Dimension(size));
  }
  return ov::PartialShape(dimensions);
}

// Reads a value or a list of values. Lists are not nested.
void read_attribute(const std::string& key, ProtoReader value, SourceAttributes& attributes, bool in_list = false) {
  while (value.next()) {
    if (value.field() == 1 && value.is_block() && !in_list) read_attribute(key, value.message(), attributes, true);
    if (value.field() == 3 && !value.is_block()) attributes.numbers[key] = static_cast<std::int64_t>(value.number());
    if (value.field() == 6)
      for (const std::int64_t type : value.integers()) attributes.types[key].push_back(type);
    if (value.field() == 7 && value.is_block()) attributes.shapes[key].push_back(read_shape(value.message()));
  }
}

SourceNode read_tensorflow_node(ProtoReader reader) {
  SourceNode node;
  while (reader.next()) {
    if (reader.field() == 1) node.name = reader.text();
    if (reader.field() == 2) node.op = reader.text();
    if (reader.field() == 3 && !reader.text().starts_with('^')) node.inputs.emplace_back(reader.text());
    if (reader.field() != 5) continue;
    std::string key;
    for (ProtoReader entry = reader.message(); entry.next();) {
      if (entry.field() == 1) key = entry.text();
      if (entry.field() == 2) read_attribute(key, entry.message(), node.attributes);
    }
  }
  return node;
}

SourceGraph read_graph_def(ProtoReader reader) {
  SourceGraph graph;
  while (reader.next())
    if (reader.field() == 1) graph.nodes.push_back(read_tensorflow_node(reader.message()));
  return graph;
}

SourceGraph read_saved_model(ProtoReader reader) {
  while (reader.next()) {
    if (reader.field() != 2) continue;
    for (ProtoReader meta = reader.message(); meta.next();)
      if (meta.field() == 2) return read_graph_def(meta.message());
  }
  return {};
}

SourceGraph read_onnx(std::span<const std::uint8_t> bytes) {
  const onnx::GraphProto graph = read_onnx_graph(bytes);
  SourceGraph result;
  for (const onnx::ValueInfoProto& output : graph.output())
    if (output.has_name()) result.outputs.push_back(output.name());
  for (const onnx::NodeProto& node : graph.node()) {
    SourceNode& added = result.nodes.emplace_back();
    added.name = node.name();
    added.op = node.op_type();
    added.outputs.assign(node.output().begin(), node.output().end());
    // An optional input that is left out has an empty name.
    std::copy_if(node.input().begin(), node.input().end(), std::back_inserter(added.inputs),
                 [](const std::string& input) { return !input.empty(); });
  }
  return result;
}

// Splits "name:2" into "name" and 2. A name without a number means output 0.
std::pair<std::string, std::size_t> split_tensor(const std::string& tensor) {
  const auto colon = tensor.rfind(':');
  const bool numbered = colon != std::string::npos && colon + 1 < tensor.size() && tensor.size() - colon < 8 &&
                        std::all_of(tensor.begin() + static_cast<std::ptrdiff_t>(colon) + 1, tensor.end(),
                                    [](unsigned char letter) { return std::isdigit(letter) != 0; });
  if (!numbered) return {tensor, 0};
  return {tensor.substr(0, colon), std::stoul(tensor.substr(colon + 1))};
}

// TensorFlow's types.proto.
ov::element::Type to_element_type(std::int64_t type) {
  switch (type) {
    case 1:
      return ov::element::f32;
    case 2:
      return ov::element::f64;
    case 3:
      return ov::element::i32;
    case 4:
      return ov::element::u8;
    case 5:
      return ov::element::i16;
    case 6:
      return ov::element::i8;
    case 7:
      return ov::element::string;
    case 9:
      return ov::element::i64;
    case 10:
      return ov::element::boolean;
    case 14:
      return ov::element::bf16;
    case 17:
      return ov::element::u16;
    case 19:
      return ov::element::f16;
    case 22:
      return ov::element::u32;
    case 23:
      return ov::element::u64;
    default:
      return ov::element::dynamic;
  }
}

template <typename T>
const T* at_or_only(const std::map<std::string, std::vector<T>>& attributes, const std::string& key,
                    std::size_t index) {
  const auto found = attributes.find(key);
  if (found == attributes.end() || found->second.empty()) return nullptr;
  return index < found->second.size() ? &found->second[index] : found->second.size() == 1 ? &found->second[0] : nullptr;
}

// The largest number of outputs of a split, because a damaged file may contain any number.
constexpr std::int64_t kMaxParts = 1024;

bool is_input(const SourceNode& node) { return node.op.starts_with("Placeholder") || node.op == "Parameter"; }
bool is_constant(const SourceNode& node) { return node.op == "Const" || node.op == "Constant"; }

// Ops that can run in int8, in ONNX, TensorFlow and OpenVINO.
bool is_kernel(const SourceNode& node) {
  static const std::set<std::string> kOps{"Conv",
                                          "ConvTranspose",
                                          "Gemm",
                                          "MatMul",
                                          "LSTM",
                                          "GRU",
                                          "Conv2D",
                                          "Conv3D",
                                          "BatchMatMulV2",
                                          "DepthwiseConv2dNative",
                                          "FusedConv2D",
                                          "Conv2DBackpropInput",
                                          "Convolution",
                                          "GroupConvolution",
                                          "ConvolutionBackpropData",
                                          "_FusedConv2D",
                                          "_FusedMatMul",
                                          "LSTMSequence",
                                          "GRUSequence"};
  return kOps.contains(node.op);
}

struct Walk {
  std::set<const SourceNode*> visited;
  std::vector<std::string> frontier;
};

// Follows a tensor back to the inputs and to the outputs of unwanted nodes.
void walk_back(const SourceGraph& graph, const std::string& tensor, const std::set<const SourceNode*>& unwanted,
               Walk& walk) {
  std::vector<std::string> open{tensor};
  while (!open.empty()) {
    const std::string current = short_tensor_name(open.back());
    open.pop_back();
    const SourceNode* node = graph.producer(current);
    if (node && (unwanted.contains(node) || is_input(*node))) {
      if (std::find(walk.frontier.begin(), walk.frontier.end(), current) == walk.frontier.end())
        walk.frontier.push_back(current);
    } else if (node && walk.visited.insert(node).second) {
      open.insert(open.end(), node->inputs.rbegin(), node->inputs.rend());
    }
  }
}

using Nodes = std::set<const SourceNode*>;

// The kernels and the nodes of a part. A part with more of them is better.
std::pair<std::size_t, std::size_t> worth(const Walk& walk) {
  const auto kernels =
      std::count_if(walk.visited.begin(), walk.visited.end(), [](const SourceNode* node) { return is_kernel(*node); });
  return {static_cast<std::size_t>(kernels), walk.visited.size()};
}

bool reaches(const SourceGraph& graph, const Walk& walk, const Nodes& unwanted) {
  return std::any_of(walk.frontier.begin(), walk.frontier.end(),
                     [&](const std::string& tensor) { return unwanted.contains(graph.producer(tensor)); });
}

bool is_computed(const SourceNode* node) { return node && !is_constant(*node) && !is_input(*node); }

// The part before the unwanted nodes, with their inputs and the given tensors as outputs.
struct PartBefore {
  std::vector<std::string> outputs;
  Walk walk;
};
PartBefore part_before(const SourceGraph& graph, const Nodes& unwanted, const std::vector<std::string>& ends) {
  std::vector<std::string> tensors = ends;
  for (const SourceNode* node : unwanted) tensors.insert(tensors.end(), node->inputs.begin(), node->inputs.end());
  // Loops also read shapes and counters, which are not worth an output of the model.
  Nodes stops = unwanted;
  for (const SourceNode& node : graph.nodes)
    if (node.op == "Shape" || node.op == "ShapeOf") stops.insert(&node);
  std::vector<std::string> with_kernels, without_kernels;
  std::set<std::string> seen;
  PartBefore part;
  for (const std::string& tensor : tensors) {
    if (!seen.insert(short_tensor_name(tensor)).second || !is_computed(graph.producer(tensor))) continue;
    Walk walk, values;
    walk_back(graph, tensor, unwanted, walk);
    if (reaches(graph, walk, unwanted)) continue;
    walk_back(graph, tensor, stops, values);
    (worth(values).first > 0 ? with_kernels : without_kernels).push_back(short_tensor_name(tensor));
  }
  part.outputs = with_kernels.empty() ? without_kernels : with_kernels;
  std::sort(part.outputs.begin(), part.outputs.end());
  for (const std::string& output : part.outputs) walk_back(graph, output, unwanted, part.walk);
  return part;
}

ov::PartialShape shape_of(const SourceGraph& graph, const std::string& tensor) {
  const SourceNode* node = graph.producer(tensor);
  if (!node || node->outputs.empty()) return describe_tensor(graph, tensor).shape;
  const auto at = std::find_if(node->outputs.begin(), node->outputs.end(),
                               [&](const std::string& output) { return same_tensor(output, tensor); });
  const auto shapes = node->attributes.shapes.find("output_shapes");
  const auto index = static_cast<std::size_t>(at - node->outputs.begin());
  return shapes == node->attributes.shapes.end() || index >= shapes->second.size() ? ov::PartialShape::dynamic()
                                                                                   : shapes->second[index];
}

// The name in a YAML list.
std::string to_yaml(const std::string& name) {
  return name.find_first_of(" ,[]{}#&*!|>%@`'\"") == std::string::npos ? name : "'" + name + "'";
}

std::string to_yaml(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(to_yaml(name));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

}  // namespace

void SourceGraph::index() {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].outputs.empty()) producers_.emplace(nodes[i].name, i);
    for (const std::string& output : nodes[i].outputs) producers_.emplace(output, i);
  }
}

const SourceNode* SourceGraph::producer(const std::string& tensor) const {
  auto found = producers_.find(tensor);
  if (found == producers_.end()) found = producers_.find(split_tensor(tensor).first);
  return found == producers_.end() ? nullptr : &nodes[found->second];
}

std::vector<std::string> SourceGraph::tensor_names() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : producers_) names.push_back(name);
  return names;
}

std::vector<std::string> SourceGraph::final_tensors() const {
  if (!outputs.empty()) return outputs;
  std::set<const SourceNode*> read;
  for (const SourceNode& node : nodes)
    for (const std::string& input : node.inputs) read.insert(producer(input));
  std::vector<std::string> ends;
  for (const SourceNode& node : nodes) {
    if (read.contains(&node) || node.inputs.empty()) continue;
    ends.push_back(node.name);
    // Each part of a split tensor is an output. Of other nodes, only the first output is used.
    if (const auto parts = node.attributes.numbers.find("num"); parts != node.attributes.numbers.end())
      for (std::int64_t i = 1; i < std::min(parts->second, kMaxParts); ++i)
        ends.push_back(fmt::format("{}:{}", node.name, i));
  }
  return ends;
}

SourceGraph read_source_graph(const std::filesystem::path& path, ModelFormat format) {
  if (format != ModelFormat::Onnx && format != ModelFormat::TensorFlow) return {};
  const bool is_folder = std::filesystem::is_directory(path);
  const MappedFile file(is_folder ? path / "saved_model.pb" : path);  // most of the file are weights, which are skipped
  const std::span<const std::uint8_t> bytes = file.bytes();
  SourceGraph graph;
  if (format == ModelFormat::Onnx) {
    graph = read_onnx(bytes);
  } else {
    graph = is_folder ? read_saved_model(ProtoReader(bytes)) : read_graph_def(ProtoReader(bytes));
  }
  graph.index();
  return graph;
}

TensorInfo describe_tensor(const SourceGraph& graph, const std::string& tensor) {
  TensorInfo info;
  const SourceNode* node = graph.producer(tensor);
  if (!node) return info;
  const std::size_t index = split_tensor(tensor).second;
  // The attribute with the output type depends on the op. The first of these attributes is right for all ops except
  // comparisons.
  static const std::vector<std::string> kTypes{"output_types", "component_types", "DstT",
                                               "out_type",     "output_type",     "dtype"};
  static const std::set<std::string> kComparisons{"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"};
  static const std::set<std::string> kAudio{"Mfcc", "AudioSpectrogram"};
  if (kComparisons.contains(node->op) || node->op.starts_with("Logical")) {
    info.type = ov::element::boolean;
  } else if (node->op == "DecodeWav") {
    info.type = index == 0 ? ov::element::f32 : ov::element::i32;
  } else if (kAudio.contains(node->op)) {
    info.type = ov::element::f32;
  } else {
    for (const std::string& key : kTypes)
      if (const auto* type = at_or_only(node->attributes.types, key, index); type && info.type.is_dynamic())
        info.type = to_element_type(*type);
    if (const auto* type = at_or_only(node->attributes.types, "T", 0); type && info.type.is_dynamic())
      info.type = to_element_type(*type);
  }
  for (const std::string key : {"output_shapes", "_output_shapes", "shape"})
    if (const auto* shape = at_or_only(node->attributes.shapes, key, index); shape && info.shape.rank().is_dynamic())
      if (key != "shape" || is_input(*node)) info.shape = *shape;
  return info;
}

bool reads_pipeline(const SourceNode& node) { return node.op.starts_with("IteratorGetNext"); }

CutAdvice advise_cut(const SourceGraph& graph, const std::set<std::string>& ops,
                     const std::vector<std::string>& outputs) {
  Nodes unwanted;
  for (const SourceNode& node : graph.nodes)
    if (node.is_unsupported || ops.contains(node.op) || reads_pipeline(node)) unwanted.insert(&node);
  const std::vector<std::string> ends = outputs.empty() ? graph.final_tensors() : outputs;
  Walk behind;
  bool ends_unwanted = false;
  for (const std::string& end : ends) {
    const SourceNode* node = graph.producer(end);
    const bool is_unwanted = node && unwanted.contains(node);
    ends_unwanted = ends_unwanted || is_unwanted;
    // An output of the pipeline that is also a model output becomes an input that is forwarded.
    if (!is_unwanted || (!outputs.empty() && reads_pipeline(*node))) walk_back(graph, end, unwanted, behind);
  }
  CutAdvice advice;
  const bool useful = reaches(graph, behind, unwanted);
  if (!useful && !ends_unwanted) return advice;
  const PartBefore before = part_before(graph, unwanted, ends);
  if (!useful || worth(before.walk) > worth(behind)) {
    advice.outputs = before.outputs;
    advice.kernels = worth(before.walk).first;
    return advice;
  }
  advice.kernels = worth(behind).first;
  advice.inputs = behind.frontier;
  std::sort(advice.inputs.begin(), advice.inputs.end());
  std::copy_if(advice.inputs.begin(), advice.inputs.end(), std::back_inserter(advice.unknown_shapes),
               [&](const std::string& tensor) { return shape_of(graph, tensor).rank().is_dynamic(); });
  return advice;
}

std::string to_sentence(const CutAdvice& advice) {
  for (const auto* names : {&advice.inputs, &advice.outputs})
    for (const std::string& name : *names)
      if (name.starts_with(kUnnamedTensor)) return "";
  if (!advice.outputs.empty())
    return fmt::format("Cut the model before them: set \"outputs: {}\" under \"model:\"", to_yaml(advice.outputs));
  if (advice.inputs.empty()) return "";
  if (advice.unknown_shapes.empty())
    return fmt::format("Cut the model after them: set \"inputs: {}\" under \"model:\"", to_yaml(advice.inputs));
  std::vector<std::string> shapes;
  for (const std::string& name : advice.unknown_shapes) shapes.push_back(to_yaml(name) + ": [...]");
  return fmt::format("Cut the model after them: set \"inputs: {}\" and \"input_shapes: {{{}}}\" under \"model:\"",
                     to_yaml(advice.inputs), fmt::join(shapes, ", "));
}

}  // namespace lpot
