// bench and evaluate with --runtime onnxruntime. The tests that run ONNX Runtime need the Python of .venv with the
// packages of scripts/setup.sh --test, or the one that LPOT_TEST_PYTHON names; without it they are skipped.
#include "tests/cli/support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OnnxRuntimeOption : public CliTest {
 protected:
  ~OnnxRuntimeOption() override { ::unsetenv("LPOT_ONNXRUNTIME_PYTHON"); }

  // False if no Python with ONNX Runtime is installed.
  bool use_test_python() {
    const char* chosen = std::getenv("LPOT_TEST_PYTHON");
    const std::string python = chosen && *chosen ? chosen : LPOT_SOURCE_DIR "/.venv/bin/python";
    if (!std::filesystem::exists(python)) return false;
    if (Running({python, "-c", "import onnxruntime, numpy"}, folder_.path(), 0).wait().code != 0) return false;
    ::setenv("LPOT_ONNXRUNTIME_PYTHON", python.c_str(), 1);
    return true;
  }
};

TEST_F(OnnxRuntimeOption, ExplainsHowToInstallIt) {
  ::setenv("LPOT_ONNXRUNTIME_PYTHON", "/nowhere/python", 1);
  const Outcome run = lpot({"bench", kModel, "--runtime", "onnxruntime"});
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("/nowhere/python"), HasSubstr("pip install onnxruntime"),
                             HasSubstr("LPOT_ONNXRUNTIME_PYTHON")));
}

TEST_F(OnnxRuntimeOption, RejectsWhatOnlyOpenVinoSupports) {
  const std::vector<std::vector<std::string>> all{{"--precision", "bf16"}, {"--instances", "2"}, {"--inputs", "conv1"}};
  for (std::vector<std::string> options : all) {
    options.insert(options.begin(), {"bench", kModel, "--runtime", "onnxruntime"});
    const Outcome run = lpot(options);
    EXPECT_EQ(run.code, 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr("not supported with --runtime onnxruntime")) << options.back();
  }
  EXPECT_THAT(lpot({"bench", kModel, "--runtime", "tensorrt"}).err, HasSubstr("onnxruntime"));
}

TEST_F(OnnxRuntimeOption, BenchComparesModelsThere) {
  if (!use_test_python()) GTEST_SKIP() << "no Python with ONNX Runtime";
  const Outcome run = lpot({"bench", kModel, kModel, "--runtime", "onnxruntime", "--seconds", "0.2", "--batch-size",
                            "2", "--threads", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json json = run.json();
  EXPECT_EQ(json["runtime"], "onnxruntime");
  EXPECT_FALSE(json["runtime_version"].get<std::string>().empty());
  ASSERT_EQ(json["models"].size(), 2u);
  EXPECT_GT(json["models"][1]["latency_ms"]["median"].get<double>(), 0);
  EXPECT_LE(json["models"][1]["speedup_low"].get<double>(), json["models"][1]["speedup"].get<double>());
}

TEST_F(OnnxRuntimeOption, EvaluateGivesTheAccuracyOfOpenVino) {
  if (!use_test_python()) GTEST_SKIP() << "no Python with ONNX Runtime";
  folder_.write("conf.yaml", kTop1);
  const Outcome there = lpot({"evaluate", "conf.yaml", "--model", kModel, "--runtime", "onnxruntime", "--json"});
  const Outcome here = lpot({"evaluate", "conf.yaml", "--model", kModel, "--json"});
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_EQ(there.json()["accuracy"], here.json()["accuracy"]);
  EXPECT_EQ(there.json()["samples"], 32);
  EXPECT_EQ(there.json()["runtime"], "onnxruntime");
  EXPECT_EQ(here.json()["runtime"], "openvino");
}

TEST_F(OnnxRuntimeOption, EvaluateComparesWithAReference) {
  if (!use_test_python()) GTEST_SKIP() << "no Python with ONNX Runtime";
  folder_.write("conf.yaml", kData + "    metric: {Agreement: {}}\n");
  const Outcome run =
      lpot({"evaluate", "conf.yaml", "--model", kModel, "--reference", kModel, "--runtime", "onnxruntime", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["accuracy"], 1.0);
}

TEST_F(OnnxRuntimeOption, NamesAModelThatItCannotLoad) {
  if (!use_test_python()) GTEST_SKIP() << "no Python with ONNX Runtime";
  folder_.write("broken.onnx", "not a model");
  const Outcome run = lpot({"bench", "broken.onnx", "--runtime", "onnxruntime"});
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("broken.onnx"), HasSubstr("ONNXRuntimeError")));
}

}  // namespace
}  // namespace lpot
