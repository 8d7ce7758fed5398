#include "lpot/model/onnx_file.h"

#include <fmt/format.h>

#include <limits>

#include "lpot/core/error.h"
#include "lpot/proto/proto_reader.h"

namespace lpot {
namespace {

using Bytes = std::span<const std::uint8_t>;

template <typename Message>
Message parse(Bytes bytes) {
  Message message;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw DataError("onnx", fmt::format("cannot parse a {} of {} bytes", message.GetTypeName(), bytes.size()));
  return message;
}

// Attributes are left out because they hold constants and subgraphs, which can be as large as the rest of the file.
// Each of the other fields is parsed separately and merged.
onnx::NodeProto parse_without_attributes(ProtoReader fields) {
  onnx::NodeProto node;
  while (fields.next())
    if (fields.field() != onnx::NodeProto::kAttributeFieldNumber)
      node.MergeFrom(parse<onnx::NodeProto>(fields.with_tag()));
  return node;
}

constexpr int kMaxDepth = 32;  // of bodies in bodies; a file can claim more

// Adds the names in the bodies of a graph's nodes; with `is_body`, also those of the nodes themselves.
void add_names(ProtoReader graph, bool is_body, int depth, std::set<std::string>& names) {
  while (depth < kMaxDepth && graph.next()) {
    if (graph.field() != onnx::GraphProto::kNodeFieldNumber) continue;
    for (ProtoReader node = graph.message(); node.next();) {
      const bool is_name =
          node.field() == onnx::NodeProto::kNameFieldNumber || node.field() == onnx::NodeProto::kOutputFieldNumber;
      if (is_body && is_name) names.emplace(node.text());
      if (node.field() != onnx::NodeProto::kAttributeFieldNumber) continue;
      for (ProtoReader attribute = node.message(); attribute.next();)
        if (attribute.field() == onnx::AttributeProto::kGFieldNumber ||
            attribute.field() == onnx::AttributeProto::kGraphsFieldNumber)
          add_names(attribute.message(), true, depth + 1, names);
    }
  }
}

// A tensor without its values.
onnx::TensorProto parse_without_values(ProtoReader fields) {
  static const std::set<int> kKept{onnx::TensorProto::kDimsFieldNumber, onnx::TensorProto::kDataTypeFieldNumber,
                                   onnx::TensorProto::kNameFieldNumber, onnx::TensorProto::kExternalDataFieldNumber,
                                   onnx::TensorProto::kDataLocationFieldNumber};
  onnx::TensorProto tensor;
  while (fields.next())
    if (kKept.contains(fields.field())) tensor.MergeFrom(parse<onnx::TensorProto>(fields.with_tag()));
  return tensor;
}

class ExternalTensors {
 public:
  void add_graph(ProtoReader graph, int depth) {
    while (depth < kMaxDepth && graph.next()) {
      if (graph.field() == onnx::GraphProto::kInitializerFieldNumber) add(graph.message());
      if (graph.field() != onnx::GraphProto::kNodeFieldNumber) continue;
      for (ProtoReader node = graph.message(); node.next();)
        if (node.field() == onnx::NodeProto::kAttributeFieldNumber) add_attribute(node.message(), depth);
    }
  }

  std::vector<onnx::TensorProto> found;

 private:
  void add_attribute(ProtoReader attribute, int depth) {
    while (attribute.next()) {
      const int field = attribute.field();
      if (field == onnx::AttributeProto::kTFieldNumber || field == onnx::AttributeProto::kTensorsFieldNumber)
        add(attribute.message());
      if (field == onnx::AttributeProto::kGFieldNumber || field == onnx::AttributeProto::kGraphsFieldNumber)
        add_graph(attribute.message(), depth + 1);
    }
  }

  void add(ProtoReader message) {
    onnx::TensorProto tensor = parse_without_values(message);
    if (tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL) found.push_back(std::move(tensor));
  }
};

}  // namespace

std::vector<onnx::TensorProto> read_external_tensors(Bytes file) {
  ExternalTensors tensors;
  for (ProtoReader model(file); model.next();)
    if (model.field() == onnx::ModelProto::kGraphFieldNumber) tensors.add_graph(model.message(), 0);
  return std::move(tensors.found);
}

onnx::GraphProto read_onnx_graph(Bytes file) {
  onnx::GraphProto graph;
  for (ProtoReader model(file); model.next();) {
    if (model.field() != onnx::ModelProto::kGraphFieldNumber) continue;
    for (ProtoReader fields = model.message(); fields.next();) {
      if (fields.field() == onnx::GraphProto::kNodeFieldNumber)
        *graph.add_node() = parse_without_attributes(fields.message());
      if (fields.field() == onnx::GraphProto::kOutputFieldNumber)
        *graph.add_output() = parse<onnx::ValueInfoProto>(fields.bytes());
    }
  }
  return graph;
}

std::set<std::string> read_body_names(Bytes file) {
  std::set<std::string> names;
  for (ProtoReader model(file); model.next();)
    if (model.field() == onnx::ModelProto::kGraphFieldNumber) add_names(model.message(), false, 0, names);
  return names;
}

std::vector<onnx::OperatorSetIdProto> read_operator_sets(Bytes file) {
  std::vector<onnx::OperatorSetIdProto> sets;
  for (ProtoReader model(file); model.next();)
    if (model.field() == onnx::ModelProto::kOpsetImportFieldNumber && model.is_block())
      sets.push_back(parse<onnx::OperatorSetIdProto>(model.bytes()));
  return sets;
}

}  // namespace lpot
