// An editable ONNX graph. It knows the producer and the readers of each tensor, and removes what has no reader left.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lpot/quantize/writers/onnx_values.h"

namespace lpot {

class OnnxGraph {
 public:
  explicit OnnxGraph(onnx::GraphProto&);

  // The node that produces the tensor; nullptr for inputs, initializers and unknown names.
  onnx::NodeProto* producer(const std::string& tensor) const;
  // An initializer, or the value of a Constant node; nullptr for other tensors.
  onnx::TensorProto* constant(const std::string& tensor) const;
  std::vector<onnx::NodeProto*> readers(const std::string& tensor) const;  // nodes of this graph, not of subgraphs
  std::size_t position(const std::string& tensor) const;  // index of its producer among the file's nodes

  // The name, with a number appended if a tensor already has it.
  std::string unique_name(const std::string& wanted) const;
  // A new initializer; returns its name.
  template <typename T>
  std::string add_constant(const std::string& wanted_name, const Dims& dims, const std::vector<T>& values);
  onnx::NodeProto& add_node(onnx::NodeProto);  // in any order: `finish` moves it before its readers

  void replace_input(onnx::NodeProto&, int input, const std::string& tensor);

  // Keeps the producer of the tensor while its readers are replaced, until `unpin`.
  void pin(const std::string& tensor) { ++readers_[tensor]; }
  void unpin(const std::string& tensor) { remove_reader(tensor); }

  // Removes the tensor from its producer. The producer is removed too unless its other outputs have readers, and so on
  // backwards.
  void release(const std::string& tensor);

  // Deletes the removed nodes and sorts the rest: in the file's order, with new nodes before their first reader.
  void finish();

 private:
  bool exists(const std::string& tensor) const;
  void remove(onnx::NodeProto*);
  void remove_constant(const std::string& name);
  void remove_reader(const std::string& tensor);

  onnx::GraphProto& graph_;
  std::map<std::string, onnx::NodeProto*> producers_;
  std::map<std::string, onnx::TensorProto*> initializers_;
  std::map<std::string, std::size_t> readers_;  // number of readers, including graph outputs
  std::map<const onnx::NodeProto*, std::size_t> positions_;
  std::set<const onnx::NodeProto*> removed_;
};

}  // namespace lpot
