// An ONNX graph to be edited: who makes a tensor, whether anybody reads it. What nobody reads any more goes.
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

  // The node that makes the tensor; nullptr for inputs, initializers and unknown names.
  onnx::NodeProto* producer(const std::string& tensor) const;
  // An initializer, or the value of a Constant node; nullptr for all else.
  onnx::TensorProto* constant(const std::string& tensor) const;
  std::vector<onnx::NodeProto*> readers(const std::string& tensor) const;  // nodes of this graph, inner ones aside
  std::size_t place(const std::string& tensor) const;                      // of its producer among the file's nodes

  // The name, with a number behind it where a tensor has it already.
  std::string free_name(const std::string& wanted) const;
  // A new initializer; returns its name.
  template <typename T>
  std::string add_constant(const std::string& wanted_name, const Dims& dims, const std::vector<T>& values);
  onnx::NodeProto& add_node(onnx::NodeProto);  // anywhere: `finish` puts it in front of its readers

  void replace_input(onnx::NodeProto&, int input, const std::string& tensor);

  // Keeps what makes the tensor while its readers are being replaced; let_go ends that.
  void hold(const std::string& tensor) { ++readers_[tensor]; }
  void let_go(const std::string& tensor) { unread(tensor); }

  // Takes the tensor from its producer, which goes unless its other outputs are read, and so on backwards.
  void release(const std::string& tensor);

  // Removes what was released and sorts the nodes: the file's order, new ones in front of their first reader.
  void finish();

 private:
  bool exists(const std::string& tensor) const;
  void remove(onnx::NodeProto*);
  void remove_constant(const std::string& name);
  void unread(const std::string& tensor);

  onnx::GraphProto& graph_;
  std::map<std::string, onnx::NodeProto*> producers_;
  std::map<std::string, onnx::TensorProto*> initializers_;
  std::map<std::string, std::size_t> readers_;  // how many; the graph's outputs count
  std::map<const onnx::NodeProto*, std::size_t> places_;
  std::set<const onnx::NodeProto*> removed_;
};

}  // namespace lpot
