// Streaming models through tune and quantize_once.
#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "lpot/runtime/executable.h"
#include "lpot/tune/candidate_measurer.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::size_t kWidth = 64, kChunks = 120, kChunksPerSequence = 30;

// hn = tanh(x * w + h * u), scores = hn * v.
Model recurrent_classifier() {
  const auto x = parameter({1, kWidth}, "x"), h = parameter({1, kWidth}, "h");
  const auto sum =
      std::make_shared<op::Add>(product(x, kWidth, kWidth, "from_x", 1), product(h, kWidth, kWidth, "from_h", 2));
  const auto next = named(std::make_shared<op::Tanh>(sum), "next");
  next->output(0).set_names({"hn"});
  const auto scores = product(next, kWidth, 3, "classes", 3);
  scores->output(0).set_names({"scores"});
  return as_model({scores, next}, {x, h});
}

std::vector<Sample> chunks() {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < kChunks; ++i)
    samples.push_back(
        {{random_tensor({kWidth}, static_cast<unsigned>(i))}, Tensor::scalar(static_cast<std::int64_t>(i % 3))});
  return samples;
}

// The accuracy of a run step by step.
double accuracy_by_hand(const Model& model) {
  Executable run(model, {.threads = 1});
  double right = 0;
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < kChunks; ++i) {
    const Sample sample = chunks()[i];
    const Tensor state = i % kChunksPerSequence == 0 ? Tensor(ElementType::F32, {1, kWidth}) : outputs[1];
    outputs = run.infer({sample.inputs[0].reshaped({1, kWidth}), state});
    const float* scores = outputs[0].data<float>();
    right += std::max_element(scores, scores + 3) - scores == sample.label.value_at(0);
  }
  return right / kChunks;
}

class StateTest : public ::testing::Test {
 protected:
  StateTest() { save_model(recurrent_classifier(), folder_ / "stream.xml"); }

  Config config() const {
    return load_config_text(
        "model: {name: stream, state: {hn: h}}\n"
        "quantization:\n  precision: f32\n  recipes: {kernel_variants: plain}\n"
        "  calibration: {sampling_size: 60, dataloader: {sequence_length: 30, dataset: {dummy: {shape: [1, 1]}}}}\n"
        "evaluation:\n  accuracy:\n    metric: {topk: 1}\n"
        "    dataloader: {sequence_length: 30, dataset: {dummy: {shape: [1, 1]}}}\n"
        "tuning:\n  strategy: {name: auto}\n  accuracy_criterion: {absolute: 0.3}\n"
        "  workspace: {path: " +
            (folder_ / "w").string() + "}\n",
        "conf.yaml", component_tables());
  }
  TuneOptions options() const {
    const auto data = std::make_shared<MemoryData>(chunks(), std::vector<std::string>{"x"});
    return {.model = folder_ / "stream.xml",
            .output = folder_ / "int8",
            .user = {.calibration_data = data, .evaluation_data = data}};
  }

  TempFolder folder_;
};

TEST_F(StateTest, TimesAndChecksModelsWithTheStateOfSomeSteps) {
  const Model model = load_model(folder_ / "stream.xml", {.state = {{"hn", "h"}}});
  LoaderOptions sequences;
  sequences.sequence_lengths = {kChunksPerSequence};
  const DataLoader loader(std::make_shared<MemoryData>(chunks()), {}, sequences);
  const std::vector<Tensor> inputs = first_sample(model, loader);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].value_at(0), loader.sample(7).inputs[0].value_at(0));
  EXPECT_NE(inputs[1].value_at(0), 0);
}

TEST_F(StateTest, TunesAStreamingModel) {
  const TuneResult result = tune(config(), options());
  EXPECT_DOUBLE_EQ(result.baseline.accuracy, accuracy_by_hand(load_model(folder_ / "stream.xml")));
  ASSERT_THAT(result.trials, SizeIs(testing::Ge(1u)));
  ASSERT_TRUE(result.trials[0].result);
  EXPECT_EQ(result.trials[0].result->samples, kChunks);
  EXPECT_THAT(read_bytes(folder_ / "int8" / "deploy.yaml"), HasSubstr("hn: h"));
}

TEST_F(StateTest, QuantizesAStreamingModelOnce) {
  const QuantizeResult once = quantize_once(config(), options());
  EXPECT_EQ(once.int8_ops, 3u);
  const Model int8 = load_model(folder_ / "int8" / "model.xml", {.state = {{"hn", "h"}}});
  EXPECT_EQ(model_inputs(int8).size(), 2u);
  EXPECT_EQ(model_outputs(int8).size(), 2u);
  EXPECT_NEAR(accuracy_by_hand(int8), accuracy_by_hand(recurrent_classifier()), 0.1);
}

TEST_F(StateTest, QuantizesOnlyTheWeightsOfAStreamingModel) {
  Config dynamic = config();
  dynamic.quantization.approach = Approach::DynamicQuantization;
  dynamic.quantization.calibration.reset();
  TuneOptions without_data = options();
  without_data.user = {};
  dynamic.accuracy.loader.reset();
  EXPECT_EQ(quantize_once(dynamic, without_data).int8_ops, 3u);
}

}  // namespace
}  // namespace lpot
