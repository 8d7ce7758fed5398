// Applies edits to the graph of an ONNX file.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/writers/onnx_qdq.h"

namespace lpot {

class OnnxWriter {
 public:
  OnnxWriter(const Model& source, const Edits&, onnx::GraphProto&);

  void run();  // call once

 private:
  // A kernel and its edit; without one it stays in fp32 with new weights or a new bias.
  struct Task {
    OnnxKernel kernel;
    const OpEdit* edit = nullptr;
  };

  std::vector<Task> find_tasks();
  void find_constants(std::vector<Task>&, const ConstantEdit&);

  void rewrite(const Task&);
  std::string new_activation(const Task&);
  std::string new_weights(const Task&, const std::string& name);
  void add_kernel(const Task&, onnx::NodeProto, const onnx::NodeProto& last, const std::string& bias_name);
  std::vector<float> new_bias(const Task&) const;
  void replace_constant(const ov::Node&, const std::vector<float>& values);
  void rewrite(const ProductEdit&);
  void rewrite(const InputEdit&);
  onnx::NodeProto* batch_norm_of(const ov::Node& multiply, std::size_t input, onnx::NodeProto* node) const;
  void rewrite(const EmbeddingEdit&);

  const Edits& edits_;
  OnnxGraph graph_;
  QdqNodes qdq_{graph_};
  OpIndex ops_;                                                        // ops of the source graph
  std::map<std::string, const std::vector<float>*> edited_constants_;  // by name
};

}  // namespace lpot
