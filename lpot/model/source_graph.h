// The nodes of an ONNX or TensorFlow file as it was written, beside the front end that converts it: for saying which
// nodes cannot be converted and where to cut, and for the types that the front end does not tell.
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

// TensorFlow's attributes that are whole numbers, types or shapes; empty for ONNX.
struct SourceAttributes {
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::vector<std::int64_t>> types;  // numbers of TensorFlow's DataType
  std::map<std::string, std::vector<ov::PartialShape>> shapes;
};

struct SourceNode {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;   // tensors
  std::vector<std::string> outputs;  // tensors; empty for TensorFlow, whose tensors are NAME:0, NAME:1, ...
  SourceAttributes attributes;
};

struct SourceGraph {
  std::vector<SourceNode> nodes;
  std::vector<std::string> outputs;  // empty for TensorFlow: every node that nothing reads

  // The node that makes a tensor, or null (an input or a constant of ONNX, an unknown name).
  const SourceNode* producer(const std::string& tensor) const;
  std::vector<std::string> tensor_names() const;
  std::vector<std::string> ends() const;  // the tensors that the graph ends with

  void index();  // after filling in the nodes

 private:
  std::map<std::string, std::size_t> producers_;
};

// Other formats give an empty graph. Throws DataError for a damaged file.
SourceGraph read_source_graph(const std::filesystem::path&, ModelFormat);

// What the file says of a TensorFlow tensor: dynamic where it says nothing.
struct TensorInfo {
  ov::element::Type type = ov::element::dynamic;
  ov::PartialShape shape = ov::PartialShape::dynamic();
};
TensorInfo describe_tensor(const SourceGraph&, const std::string& tensor);

// Whether the node hands on what a data pipeline inside the graph reads (IteratorGetNext).
bool reads_pipeline(const SourceNode&);

// The tensors at which to cut so that no node of these op types is needed.
struct CutAdvice {
  std::vector<std::string> inputs;   // behind them, with the other inputs that are needed; empty: no such cut
  std::vector<std::string> outputs;  // before them, where they end the graph; empty: no such cut
};
CutAdvice advise_cut(const SourceGraph&, const std::set<std::string>& ops, const std::vector<std::string>& outputs);

// "cut behind them with model.inputs: Mfcc (and model.input_shapes)" or "".
std::string to_sentence(const CutAdvice&);

}  // namespace lpot
