// The nodes of an ONNX or TensorFlow file before conversion, or of another graph. Used to propose cuts that avoid
// unsupported operations, and to find tensor types that the front end does not report.
#pragma once
#include <filesystem>
#include <map>
#include <openvino/core/partial_shape.hpp>
#include <openvino/core/type/element_type.hpp>
#include <set>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

// The integer, type and shape attributes of a TensorFlow node; empty for ONNX.
struct SourceAttributes {
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::vector<std::int64_t>> types;  // values of TensorFlow's DataType
  std::map<std::string, std::vector<ov::PartialShape>> shapes;
};

// Begins the names of tensors that the file does not name. No cut is advised at such a tensor.
inline constexpr char kUnnamedTensor = '\1';

struct SourceNode {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;   // tensors
  std::vector<std::string> outputs;  // tensors; empty for TensorFlow, whose tensors are NAME:0, NAME:1, ...
  SourceAttributes attributes;
  bool is_unsupported = false;  // OpenVINO cannot convert this node; only known for graphs of converted_graph.h
};

struct SourceGraph {
  std::vector<SourceNode> nodes;
  std::vector<std::string> outputs;  // empty for TensorFlow, where every node without consumers is an output

  // The node that computes a tensor. Null for an input or constant of ONNX and for an unknown name.
  const SourceNode* producer(const std::string& tensor) const;
  std::vector<std::string> tensor_names() const;
  std::vector<std::string> final_tensors() const;  // `outputs`, or the outputs of nodes without consumers

  void index();  // call it after the nodes were added

 private:
  std::map<std::string, std::size_t> producers_;
};

// Returns an empty graph for other formats. Throws DataError for a damaged file.
SourceGraph read_source_graph(const std::filesystem::path&, ModelFormat);

// Type and shape of a TensorFlow tensor according to the file; dynamic if the file does not contain them.
struct TensorInfo {
  ov::element::Type type = ov::element::dynamic;
  ov::PartialShape shape = ov::PartialShape::dynamic();
};
TensorInfo describe_tensor(const SourceGraph&, const std::string& tensor);

// Whether the node returns data of an input pipeline inside the graph (IteratorGetNext).
bool reads_pipeline(const SourceNode&);

// The tensors at which to cut a graph so that it contains no unsupported node and no op of these types. Of the cuts
// before and after these ops, it is the one that keeps more convolutions and matrix products.
struct CutAdvice {
  std::vector<std::string> inputs;          // model.inputs after these ops, with all other inputs; empty: no such cut
  std::vector<std::string> outputs;         // model.outputs before these ops; empty: no such cut
  std::vector<std::string> unknown_shapes;  // the inputs whose shape the file does not contain
  std::size_t kernels = 0;                  // convolutions, matrix products and recurrent layers that the cut keeps
};
CutAdvice advise_cut(const SourceGraph&, const std::set<std::string>& ops, const std::vector<std::string>& outputs);

// 'Cut the model after them: set "inputs: [Mfcc]" and "input_shapes: {Mfcc: [...]}" under "model:"' or "".
std::string to_sentence(const CutAdvice&);

}  // namespace lpot
