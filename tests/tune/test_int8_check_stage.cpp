#include "lpot/tune/int8_check_stage.h"

#include "lpot/core/cpu.h"
#include "lpot/model/save.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/resolve.h"
#include "lpot/tune/candidate_builder.h"
#include "lpot/tune/tune.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kInputSize = 16, kStateSize = 32, kStepCount = 12;

std::shared_ptr<ov::Node> lstm_layer(const ov::Output<ov::Node>& x, const std::string& name, unsigned seed,
                                     float range) {
  const auto zeros = constant({1, 1, kStateSize}, std::vector<float>(kStateSize, 0.0f));
  return named(
      std::make_shared<op::LSTMSequence>(x, zeros, zeros, op::Constant::create(ov::element::i32, {1}, {kStepCount}),
                                         random_constant({1, 4 * kStateSize, kInputSize}, seed, -range, range),
                                         random_constant({1, 4 * kStateSize, kStateSize}, seed + 1, -range, range),
                                         random_constant({1, 4 * kStateSize}, seed + 2, -0.2f, 0.2f), kStateSize,
                                         ov::op::RecurrentSequenceDirection::FORWARD),
      name);
}

// x -> LSTM "first" -> matrix product "between" -> LSTM "second" -> last state -> matrix product "classes".
Model lstm_classifier() {
  const auto x = parameter({1, kStepCount, kInputSize}, "x");
  const auto axis = op::Constant::create(ov::element::i64, {1}, {1});
  const auto first = lstm_layer(x, "first", 1, 0.5f);
  const auto steps = std::make_shared<op::Squeeze>(first->output(0), axis);
  const auto second = lstm_layer(product(steps, kStateSize, kInputSize, "between", 7), "second", 11, 0.2f);
  const auto last = std::make_shared<op::Squeeze>(second->output(1), axis);
  return as_model({product(last, kStateSize, 5, "classes", 4)}, {x});
}

class SequenceStage : public ::testing::Test {
 protected:
  SequenceStage() {
    save_model(lstm_classifier(), folder_ / "lstm.xml");
    std::vector<Sample> samples;
    for (unsigned seed = 10; seed < 20; ++seed)
      samples.push_back({{random_tensor({kStepCount, kInputSize}, seed)}, {}});
    user_.calibration_data = std::make_shared<MemoryData>(std::move(samples));
    config_.quantization.sampling_sizes = {10};
    observer_.on_log = [this](LogLevel level, std::string_view text) {
      if (level == LogLevel::Warning) warnings_.emplace_back(text);
    };
  }

  TempFolder folder_;
  UserComponents user_;
  Config config_;
  Observer observer_;
  std::vector<std::string> warnings_;
  const std::vector<Tensor> sample_{random_tensor({1, kStepCount, kInputSize}, 30)};
};

TEST_F(SequenceStage, LeavesCorrectSequencesInInt8) {
  const QuantizationTask prepared = prepare_task(config_, folder_ / "lstm.xml", user_, observer_);
  const StatisticsByPlan statistics = calibrate(prepared, config_, {}, observer_);
  const QuantizationTask task = without_mismatched_sequences(prepared, config_, statistics, sample_, observer_);
  EXPECT_EQ(first_plan(task.choices).int8_count(), 4u);
  EXPECT_THAT(warnings_, IsEmpty());
}

// The first sequence is already int8 and has other scales. The plug-in reuses its kernel for the second one, which
// has the same size.
TEST_F(SequenceStage, KeepsAWrongSequenceUnquantized) {
  if (detect_cpu().needs_half_range()) GTEST_SKIP() << "this CPU adds 8-bit products in 16 bits; full ranges saturate";
  const QuantizationTask source = prepare_task(config_, folder_ / "lstm.xml", user_, observer_);
  Plan only_first = first_plan(source.choices);
  for (auto& [name, op] : only_first.ops)
    if (name != "first") op = OpPlan{};
  only_first.recipes = {};
  only_first.inference_precision = InferencePrecision::F32;
  const StatisticsByPlan of_source = calibrate(source, config_, {}, observer_);
  save_model(quantize(source.model, only_first, of_source.of(only_first)), folder_ / "half.xml");

  const QuantizationTask prepared = prepare_task(config_, folder_ / "half.xml", user_, observer_);
  const StatisticsByPlan statistics = calibrate(prepared, config_, {}, observer_);
  const QuantizationTask task = without_mismatched_sequences(prepared, config_, statistics, sample_, observer_);
  EXPECT_THAT(first_plan(prepared.choices).fallback(), IsEmpty());
  EXPECT_THAT(first_plan(task.choices).fallback(), ElementsAre("second"));
  EXPECT_THAT(first_plan(task.full_range).fallback(), ElementsAre("second"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a part of the model is quantized already: 1 op has int8 weights"),
                                     HasSubstr("op 'second' stays in")));
  // The same check of a final plan.
  const Plan plan = first_plan(prepared.choices);
  const Edits edits = resolve(prepared.model, plan, statistics.of(plan));
  EXPECT_THAT(without_mismatched_sequences(plan, prepared, edits, sample_, observer_).fallback(),
              ElementsAre("second"));
  EXPECT_THAT(warnings_.back(), HasSubstr("op 'second' stays in"));
}

// The search starts with this model, so it is not built and compiled again.
TEST_F(SequenceStage, ReturnsTheFirstModelOfTheCheckedTask) {
  const QuantizationTask prepared = prepare_task(config_, folder_ / "lstm.xml", user_, observer_);
  const StatisticsByPlan statistics = calibrate(prepared, config_, {}, observer_);
  const ov::Model* compiled = nullptr;
  const auto compile = [&](const Model& model) {
    compiled = model.graph.get();
    return compile_for(sample_)(model);
  };
  CheckedTask checked = with_checked_int8(prepared, config_, statistics, sample_, compile, observer_);
  ASSERT_TRUE(checked.first);
  EXPECT_EQ(checked.first->model.graph.get(), compiled);
  EXPECT_THAT(checked.first->edits.sequences, testing::SizeIs(2));
  PlanFinalizer finalizer(checked.task, config_, statistics);
  CandidateBuilder builder(checked.task.model, statistics, &finalizer);
  builder.put(first_plan(checked.task.choices), std::move(checked.first->edits), std::move(checked.first->model));
  EXPECT_EQ(builder.model(first_plan(checked.task.choices)).graph.get(), compiled);
}

TEST_F(SequenceStage, IsPartOfQuantizeOnce) {
  config_.quantization.recipes.measured_kernel_variants = false;
  const QuantizeResult once =
      quantize_once(config_, {.model = folder_ / "lstm.xml", .output = folder_ / "int8", .user = user_}, observer_);
  EXPECT_EQ(once.int8_ops, 4u);
  EXPECT_THAT(once.plan.fallback(), IsEmpty());
}

}  // namespace
}  // namespace lpot
