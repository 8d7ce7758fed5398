// Small graphs built in code, and a simple way to run one.
#pragma once
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <random>
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

namespace op = ov::opset8;

inline std::filesystem::path quickstart_model() { return LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx"; }

inline std::vector<float> random_values(std::size_t count, unsigned seed, float low = -1.0f, float high = 1.0f) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = draw(random);
  return values;
}

inline Tensor random_tensor(const Shape& shape, unsigned seed, float low = -1.0f, float high = 1.0f) {
  return Tensor::from<float>(shape, random_values(element_count(shape), seed, low, high));
}

inline std::shared_ptr<op::Parameter> parameter(const ov::PartialShape& shape, const std::string& name,
                                                ov::element::Type type = ov::element::f32) {
  const auto node = std::make_shared<op::Parameter>(type, shape);
  node->set_friendly_name(name);
  node->output(0).set_names({name});
  return node;
}

inline std::shared_ptr<op::Constant> constant(const ov::Shape& shape, const std::vector<float>& values,
                                              ov::element::Type type = ov::element::f32) {
  return op::Constant::create(type, shape, values);
}

inline std::shared_ptr<op::Constant> random_constant(const ov::Shape& shape, unsigned seed, float low = -1.0f,
                                                     float high = 1.0f) {
  return constant(shape, random_values(ov::shape_size(shape), seed, low, high));
}

// A 3x3 convolution that keeps the size.
inline std::shared_ptr<ov::Node> conv3x3(const ov::Output<ov::Node>& input, std::size_t in, std::size_t out,
                                         const std::string& name, unsigned seed = 1) {
  const auto node =
      std::make_shared<op::Convolution>(input, random_constant({out, in, 3, 3}, seed), ov::Strides{1, 1},
                                        ov::CoordinateDiff{1, 1}, ov::CoordinateDiff{1, 1}, ov::Strides{1, 1});
  node->set_friendly_name(name);
  return node;
}

// input [..., in] times weights [in, out].
inline std::shared_ptr<ov::Node> product(const ov::Output<ov::Node>& input, std::size_t in, std::size_t out,
                                         const std::string& name, unsigned seed = 1) {
  const auto node = std::make_shared<op::MatMul>(input, random_constant({in, out}, seed), false, false);
  node->set_friendly_name(name);
  return node;
}

template <typename T>
std::shared_ptr<T> named(std::shared_ptr<T> node, const std::string& name) {
  node->set_friendly_name(name);
  return node;
}

inline Model as_model(const ov::OutputVector& outputs, const ov::ParameterVector& inputs) {
  Model model;
  model.graph = std::make_shared<ov::Model>(outputs, inputs);
  model.source = "made in a test";
  return model;
}

// Runs the graph with OpenVINO in full precision, without lpot's runtime. Returns all outputs as floats.
inline std::vector<std::vector<float>> run_plainly(const std::shared_ptr<ov::Model>& graph,
                                                   const std::vector<Tensor>& inputs) {
  ov::Core core;
  auto compiled = core.compile_model(graph, "CPU", ov::hint::inference_precision(ov::element::f32));
  auto request = compiled.create_infer_request();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ov::Tensor tensor(compiled.input(i).get_element_type(),
                      ov::Shape(inputs[i].shape().begin(), inputs[i].shape().end()));
    std::memcpy(tensor.data(), inputs[i].bytes(), inputs[i].byte_size());
    request.set_input_tensor(i, tensor);
  }
  request.infer();
  std::vector<std::vector<float>> outputs;
  for (std::size_t i = 0; i < compiled.outputs().size(); ++i) {
    const ov::Tensor output = request.get_output_tensor(i);
    outputs.emplace_back(output.data<float>(), output.data<float>() + output.get_size());
  }
  return outputs;
}

inline std::size_t count_type(const Model& model, const std::string& type) {
  std::size_t count = 0;
  for (const auto& node : model.graph->get_ordered_ops()) count += node->get_type_name() == type;
  return count;
}

}  // namespace lpot
