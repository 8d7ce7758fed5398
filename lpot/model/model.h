// A model as OpenVINO's graph, normalised: constants and batch norm folded, every op with the source graph's own name.
//
//   Model model = load_model("resnet20.onnx");
//   for (const OpInfo& op : list_ops(model)) std::cout << op.name << ": " << op.type << "\n";
//
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/op_info.h"
#include "lpot/core/scheme.h"
#include "lpot/core/tensor.h"

namespace ov {
class Model;
class Node;
}  // namespace ov

namespace lpot {

// formats.h says what a new one needs.
enum class ModelFormat { Onnx, TensorFlow, TensorFlowLite, Paddle, OpenVinoIr };
std::string_view to_string(ModelFormat);  // "onnx", "tensorflow", "tflite", "paddle", "openvino"

// An output of a streaming model that becomes an input of the next step, by their numbers (state.h).
struct StateBinding {
  std::size_t output = 0;
  std::size_t input = 0;

  bool operator==(const StateBinding&) const = default;
};

struct Model {
  std::shared_ptr<ov::Model> graph;
  ModelFormat format = ModelFormat::OpenVinoIr;
  std::filesystem::path source;
  std::string fingerprint;      // hash of its files and of the tensors where it was cut
  std::size_t size_bytes = 0;   // of its files
  std::string derivation = {};  // how a study derived it from the source, so that workers can repeat it; "": unchanged

  InferencePrecision precision = InferencePrecision::F32;  // in which everything that is not int8 runs
  std::vector<StateBinding> state = {};                    // empty: samples do not depend on each other

  Model clone() const;
};

// The model with this precision, which is also written into its graph, so that load_model restores it from a saved IR.
Model with_precision(Model, InferencePrecision);
// The precision in the graph; F32 where it has none.
InferencePrecision written_precision(const Model&);

// One input or output: name, element type, and shape with -1 where it is dynamic.
struct Port {
  std::string name;
  std::string element_type;
  std::vector<std::int64_t> shape;
  bool is_named = true;  // false: the runtime only knows its index

  std::string describe() const;  // "image f32 [?,1,28,28]"
};
std::vector<Port> model_inputs(const Model&);
std::vector<Port> model_outputs(const Model&);

std::vector<OpInfo> list_ops(
    const Model&);  // in the order of all_ops (bodies.h), without constants, parameters and results

// The ONNX front end splits a node X with bias into a kernel of the name X with this suffix and an addition X.
inline constexpr std::string_view kKernelSuffix = "/WithoutBiases";

// The name of the source node from which this op was converted. Plans, op_wise and exported models use this name.
std::string op_name(const ov::Node&);

}  // namespace lpot
