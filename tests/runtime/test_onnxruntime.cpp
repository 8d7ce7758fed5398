// The messages between lpot and the process that runs ONNX Runtime. The worker is a fake one that needs no packages;
// tests/cli/test_onnxruntime.cpp runs the real one.
#include "lpot/runtime/onnxruntime.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/runtime/fit.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OnnxRuntime fake(const std::string& mode = "normal") {
  return OnnxRuntime({"python3", LPOT_SOURCE_DIR "/tests/runtime/fake_worker.py", mode});
}

TEST(OnnxRuntimeWorker, ReportsItsVersion) {
  const OnnxRuntime runtime = fake();
  EXPECT_EQ(runtime.version(), "1.2.3");
  EXPECT_EQ(runtime.python(), "/fake/python");
  EXPECT_GT(runtime.process(), 0);
}

TEST(OnnxRuntimeWorker, LoadsTheInputsAndOutputsOfAModel) {
  OnnxRuntime runtime = fake();
  const OnnxRuntimeModel model = runtime.load("net.onnx", 2);
  ASSERT_EQ(model_inputs(model.ports).size(), 1u);
  EXPECT_EQ(model_inputs(model.ports)[0].describe(), "x f32 [?,3]");
  EXPECT_EQ(model_outputs(model.ports)[0].describe(), "y f32 [?,3]");
  EXPECT_EQ(model.ports.source, "net.onnx");
}

TEST(OnnxRuntimeWorker, RunsBatchesOfAnySize) {
  OnnxRuntime runtime = fake();
  const OnnxRuntimeModel model = runtime.load("net.onnx", 2);
  const std::size_t large = 300'000;  // more than the buffer of a socket
  for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, large, std::size_t{1}}) {
    std::vector<float> values(rows * 3);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
    const std::vector<Tensor> outputs = runtime.run(model, {Tensor::from<float>({rows, 3}, values)});
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].shape(), (Shape{rows, 3}));
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(outputs[0].data<float>()[i], 2 * values[i]);
  }
}

TEST(OnnxRuntimeWorker, TimesBlocksForTheComparison) {
  OnnxRuntime runtime = fake();
  const OnnxRuntimeModel first = runtime.load("a.onnx", 1), second = runtime.load("b.onnx", 1);
  std::vector<std::unique_ptr<BlockTimer>> timers;
  timers.push_back(onnxruntime_timer(runtime, first));
  timers.push_back(onnxruntime_timer(runtime, second));
  const Comparison compared = compare_blocks(
      std::move(timers), {.warmup = 2, .seconds = 0.01, .threads = 2, .min_blocks = 7}, runtime.process());
  EXPECT_DOUBLE_EQ(compared.ratio(1).median, 1);
  EXPECT_GE(compared.ratio(1).blocks, 7u);
  EXPECT_DOUBLE_EQ(compared.latencies[0].median_ms, 2);
  EXPECT_DOUBLE_EQ(compared.blocks[1][0].cpu_ms, 4);
}

TEST(OnnxRuntimeWorker, NamesTheModelThatFails) {
  OnnxRuntime runtime = fake();
  EXPECT_THAT(message_of<ModelError>([&] { runtime.load("missing.onnx", 2); }),
              AllOf(HasSubstr("missing.onnx"), HasSubstr("NoSuchFile: load failed")));
  EXPECT_EQ(runtime.load("net.onnx", 2).number, 0u) << "the worker still answers";
}

TEST(OnnxRuntimeWorker, ReportsACrash) {
  OnnxRuntime runtime = fake("crash");
  const OnnxRuntimeModel model = runtime.load("net.onnx", 2);
  const auto run = [&] { runtime.run(model, {Tensor::from<float>({1, 3}, {1, 2, 3})}); };
  EXPECT_THAT(message_of<ModelError>(run), AllOf(HasSubstr("net.onnx"), HasSubstr("ended without an answer")));
  EXPECT_THAT(message_of<ModelError>(run), HasSubstr("ended without an answer")) << "and again";
}

TEST(OnnxRuntimeWorker, StopsOnRequest) {
  OnnxRuntime runtime = fake();
  const OnnxRuntimeModel model = runtime.load("net.onnx", 2);
  EXPECT_THROW(runtime.run(model, {Tensor::from<float>({1, 3}, {1, 2, 3})}, {{}, {}, [] { return true; }}),
               Interrupted);
}

TEST(OnnxRuntimeWorker, ExplainsWhyAPythonCannotBeUsed) {
  EXPECT_THAT(message_of<ConfigError>([] { fake("not-installed"); }), HasSubstr("No module named 'onnxruntime'"));
  EXPECT_THAT(message_of<ConfigError>([] { fake("garbage"); }), HasSubstr("got 'Hello'"));
  EXPECT_THAT(message_of<ConfigError>([] { OnnxRuntime({"/nowhere/python"}); }), HasSubstr("/nowhere/python"));
}

}  // namespace
}  // namespace lpot
