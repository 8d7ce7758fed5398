// The lines that lpot prints after a run give the outputs that lpot evaluated, bit for bit.
#include <sys/wait.h>

#include <cstdlib>
#include <iostream>
#include <openvino/openvino.hpp>

#include "lpot/model/save.h"
#include "lpot/quantize/quantize.h"
#include "lpot/report/result.h"
#include "lpot/runtime/executable.h"
#include "lpot/runtime/precision.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

// Two products of rows; the number of rows is dynamic.
Model dynamic_rows() {
  const auto x = parameter({1, -1, 256}, "x");
  const auto first = product(x, 256, 256, "first");
  return as_model({product(std::make_shared<op::Softmax>(first, 2), 256, 64, "second", 2)}, {x});
}

class PrintedLines : public ::testing::Test {
 protected:
  // Saves the model without int8 in that precision, and its outputs.
  void save(InferencePrecision precision) {
    Plan plan;
    plan.inference_precision = precision;
    for (const char* name : {"first", "second"}) plan.ops[name].precision = unquantized(precision);
    const Model model = quantize(dynamic_rows(), plan, {});
    save_model(model, folder_ / "model.xml");
    write_bytes(folder_ / "input.bin", bytes_of(input_));
    expected_ = bytes_of(Executable(model, {.input_shapes = {{1, 8, 256}}}).infer({input_})[0]);
  }

  static std::string bytes_of(const Tensor& tensor) {
    return {reinterpret_cast<const char*>(tensor.bytes()), tensor.byte_size()};
  }

  // Runs the Python lines with the input of this test and returns the bytes of their output.
  std::string run_python(std::string lines) {
    const std::string zeros = "np.zeros([1, 8, 256], np.float32)";
    const auto found = lines.find(zeros);
    if (found == std::string::npos) return "no inputs in:\n" + lines;
    lines.replace(found, zeros.size(), "np.fromfile('input.bin', np.float32).reshape(1, 8, 256)");
    write_bytes(folder_ / "run.py", lines + "np.asarray(outputs[0]).tofile('output.bin')\n");
    const std::string command =
        "cd '" + folder_.path().string() + "' && '" LPOT_SOURCE_DIR "/.venv/bin/python' run.py > printed.txt 2>&1";
    if (std::system(command.c_str()) != 0) return "failed: " + read_bytes(folder_ / "printed.txt");
    return read_bytes(folder_ / "output.bin");
  }

  TempFolder folder_;
  Tensor input_ = random_tensor({1, 8, 256}, 7);
  std::string expected_;
  StaticShapes shapes_{.inputs = {{"x", {1, 8, 256}}}, .lengths = {}};
};

TEST_F(PrintedLines, InPythonGiveTheEvaluatedOutputsInEveryPrecision) {
  for (const InferencePrecision precision : supported_precisions()) {
    save(precision);
    EXPECT_TRUE(run_python(python_lines(folder_ / "model.xml", shapes_, precision)) == expected_)
        << to_string(precision);
  }
}

// The .inc files are the printed lines; the test compiles them and compares their text.
TEST_F(PrintedLines, InCppAreThoseThatThisTestCompiles) {
  save(InferencePrecision::F32);
  const std::string path = (folder_ / "model.xml").string();
  const auto expect_lines = [&](InferencePrecision precision, const std::string& file) {
    std::string lines = cpp_lines(path, shapes_, precision);
    lines.replace(lines.find(path), path.size(), "model.xml");
    EXPECT_EQ(lines, read_bytes(LPOT_SOURCE_DIR "/tests/report/" + file) +
                         read_bytes(LPOT_SOURCE_DIR "/tests/report/printed_lines_run.inc"));
  };
  expect_lines(InferencePrecision::Bf16, "printed_lines_bf16.inc");
  // Where the runtime's default is not f32, the lines for f32 must set it.
  if (default_precision() == InferencePrecision::F32)
    expect_lines(InferencePrecision::F32, "printed_lines_f32.inc");
  else
    EXPECT_THAT(cpp_lines(path, shapes_, InferencePrecision::F32), ::testing::HasSubstr("ov::element::f32)"));
}

// In the default precision of this CPU, whichever it is.
TEST_F(PrintedLines, InCppGiveTheEvaluatedOutputs) {
  const bool in_bf16 = default_precision() == InferencePrecision::Bf16;
  save(in_bf16 ? InferencePrecision::Bf16 : InferencePrecision::F32);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const auto fill = [&](ov::InferRequest& request) {
    std::memcpy(request.get_input_tensor(0).data(), input_.bytes(), input_.byte_size());
  };
  const auto expect_output = [&](const ov::Tensor& output) {
    EXPECT_TRUE((std::string(static_cast<const char*>(output.data()), output.get_byte_size()) == expected_));
  };
  if (in_bf16) {
#include "printed_lines_bf16.inc"
    fill(request);
#include "printed_lines_run.inc"
    expect_output(request.get_output_tensor(0));
  } else {
#include "printed_lines_f32.inc"
    fill(request);
#include "printed_lines_run.inc"
    expect_output(request.get_output_tensor(0));
  }
  std::filesystem::current_path(before);
}

TEST_F(PrintedLines, HaveTheTypeOfEachInput) {
  ov::ParameterVector inputs;
  for (const ov::element::Type& type : {ov::element::boolean, ov::element::f16, ov::element::i16, ov::element::u32,
                                        ov::element::f64, ov::element::f32, ov::element::i64})
    inputs.push_back(parameter({2, 3}, type.get_type_name() + "_input", type));
  ov::OutputVector outputs(inputs.begin(), inputs.end());
  const auto path = folder_ / "typed.xml";
  save_model(as_model(outputs, inputs), path);
  for (const char* type : {"bool_", "float16", "int16", "uint32", "float64", "float32", "int64"}) {
    const std::string zeros = std::string("np.zeros([2, 3], np.") + type + ")";
    EXPECT_THAT(python_lines(path), ::testing::HasSubstr(zeros));
    EXPECT_THAT(onnx_runtime_lines(path), ::testing::HasSubstr(zeros));
  }
}

}  // namespace
}  // namespace lpot
