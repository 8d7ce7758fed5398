// Shared by the tests of the ONNX writer: small networks whose weights and inputs are exactly int8 levels, so that the
// exported model computes the same outputs as the source.
#pragma once
#include "lpot/model/load.h"
#include "lpot/quantize/writers/onnx.h"
#include "tests/support/edits.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/onnx_file.h"

namespace lpot {

inline constexpr float kStep = 0.02f;
inline constexpr Range kSymmetric{-128 * kStep, 127 * kStep};
inline constexpr Range kAsymmetric{-110 * kStep, 145 * kStep};

inline constexpr auto kInt8 = onnx::TensorProto_DataType_INT8;

class ExportOnnx : public ::testing::Test {
 protected:
  Model load(const OnnxFile& file) { return load_model(file.write(folder_ / "fp32.onnx")); }

  OnnxFile write(const Model& model, const Edits& edits) {
    export_onnx(model, edits, folder_ / "int8.onnx");
    return OnnxFile::read(folder_ / "int8.onnx");
  }

  void expect_same_outputs(const Model& source, const std::vector<Tensor>& inputs, float tolerance = 1e-3f) {
    const auto expected = run_plainly(source.graph, inputs);
    const auto found = run_plainly(load_model(folder_ / "int8.onnx").graph, inputs);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_THAT(found[i], ::testing::Pointwise(::testing::FloatNear(tolerance), expected[i]));
  }

  // Exports with every op in int8, checks the outputs and returns the file.
  OnnxFile check_all_int8(const OnnxFile& file, const Shape& input, const Range& levels = kSymmetric) {
    const Model model = load(file);
    const Edits edits = int8_edits(model, levels);
    EXPECT_FALSE(edits.ops.empty());
    const OnnxFile written = write(model, edits);
    expect_same_outputs(model, {exact_tensor(input, kStep, 3)});
    return written;
  }

  TempFolder folder_;
};

inline std::vector<float> ramp(std::size_t count, float from, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = from + step * static_cast<float>(i);
  return values;
}

inline void add_batch_norm(OnnxFile& file, const std::string& input, const std::string& output, std::size_t channels) {
  const Dims dims{static_cast<std::int64_t>(channels)};
  file.constant(output + ".gamma", dims, ramp(channels, 0.5f, 0.25f));
  file.constant(output + ".beta", dims, ramp(channels, -1.0f, 0.5f));
  file.constant(output + ".mean", dims, ramp(channels, 0.1f, 0.1f));
  file.constant(output + ".var", dims, ramp(channels, 0.5f, 0.5f));
  file.node("BatchNormalization", output,
            {input, output + ".gamma", output + ".beta", output + ".mean", output + ".var"}, output);
}

// x [1,3,6,6] -> convolution -> batch norm -> relu -> y
inline OnnxFile conv_with_batch_norm(bool bias = false) {
  OnnxFile file;
  file.input("x", {1, 3, 6, 6});
  file.output("y", {1, 4, 4, 4});
  file.constant("w", {4, 3, 3, 3}, exact_weights({4, 3, 3, 3}, 0, 1));
  if (bias) file.constant("b", {4}, ramp(4, -0.5f, 0.3f));
  file.node("Conv", "conv", bias ? std::vector<std::string>{"x", "w", "b"} : std::vector<std::string>{"x", "w"}, "c");
  add_batch_norm(file, "c", "norm", 4);
  file.node("Relu", "relu", {"norm"}, "y");
  return file;
}

// x [2,3,6] times w [6,4], plus b
inline OnnxFile product_with_bias(const std::string& name = "product") {
  OnnxFile file;
  file.input("x", {2, 3, 6});
  file.output("y", {2, 3, 4});
  file.constant("w", {6, 4}, exact_weights({6, 4}, 1, 1));
  file.constant("b", {4}, ramp(4, -1.0f, 0.4f));
  file.node("MatMul", name, {"x", "w"}, "p");
  file.node("Add", name.empty() ? "" : "add", {"b", "p"}, "y");
  return file;
}

}  // namespace lpot
