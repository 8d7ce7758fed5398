// Early stopping of DataEvaluator, and the score that it returns then.
#include <cmath>
#include <random>

#include "lpot/config/load.h"
#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/streaming.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kSamples = 300;

// Two classes, scores 0 and input - shift.
Model shifted(float shift) {
  const auto x = parameter({-1, 1}, "x");
  const auto score = std::make_shared<op::Subtract>(x, constant({1, 1}, {shift}));
  const auto zero = std::make_shared<op::Multiply>(x, constant({1, 1}, {0.0f}));
  return as_model({std::make_shared<op::Concat>(ov::OutputVector{zero, score}, 1)}, {x});
}

// All samples are of class 1. fp32 scores 30 of them below zero; the others have scores 1, 2, ... 270, the smallest
// last.
DataEvaluator evaluator(std::optional<double> confidence = {}) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < kSamples; ++i)
    samples.push_back({{Tensor::from<float>({1}, {i < 30 ? -1.0f : static_cast<float>(kSamples - i)})},
                       Tensor::scalar(std::int64_t{1})});
  EvaluateOptions options;
  options.confidence = confidence;
  return {loader_of(std::move(samples), 10), make_metrics({{"topk", Parameters({{"k", std::int64_t{1}}}), {}}}),
          options};
}

class EarlyStoppingTest : public ::testing::Test {
 protected:
  EarlyStoppingTest() { EXPECT_EQ(evaluator_.baseline(shifted(0), {}).accuracy(), 0.9); }
  DataEvaluator evaluator_ = evaluator();
};

// A random sample of 64 is evaluated in any case, so that the accuracy of every model can be estimated.
TEST_F(EarlyStoppingTest, EvaluatesARandomSampleOfTheFirstModel) {
  const Score score = evaluator_.score_unless_below(0.89, shifted(50.5f), {});
  EXPECT_FALSE(score.complete);
  EXPECT_GE(score.samples, 64u);
  EXPECT_LT(score.samples, kSamples / 3);
  EXPECT_LT(score.accuracy(), 0.89);
}

TEST_F(EarlyStoppingTest, NeverStopsAModelThatPasses) {
  const Score score = evaluator_.score_unless_below(0.89, shifted(3.5f), {});
  EXPECT_TRUE(score.complete);
  EXPECT_EQ(score.samples, kSamples);
  EXPECT_EQ(score.accuracy(), 267.0 / kSamples);
}

TEST_F(EarlyStoppingTest, StopsLaterModelsAfterTheRandomSample) {
  evaluator_.score_unless_below(0.89, shifted(50.5f), {});
  const Score worse = evaluator_.score_unless_below(0.89, shifted(60.5f), {});
  EXPECT_FALSE(worse.complete);
  EXPECT_LE(worse.samples, 70u);
  EXPECT_LT(worse.accuracy(), 0.89);
  const Score better = evaluator_.score_unless_below(0.89, shifted(2.5f), {});
  EXPECT_TRUE(better.complete);
  EXPECT_EQ(better.accuracy(), 268.0 / kSamples);
}

TEST_F(EarlyStoppingTest, StopsAsEarlyAfterAResume) {
  evaluator_.score_unless_below(0.89, shifted(50.5f), {});
  const Score here = evaluator_.score_unless_below(0.89, shifted(60.5f), {});
  DataEvaluator resumed = evaluator();
  resumed.restore(evaluator_.notes());
  const Score there = resumed.score_unless_below(0.89, shifted(60.5f), {});
  EXPECT_EQ(there.samples, here.samples);
  EXPECT_EQ(there.accuracy(), here.accuracy());
}

TEST_F(EarlyStoppingTest, ASecondEstimateAlsoUsesTheSamplesOfTheFirst) {
  const Model fp32 = shifted(0), candidate = shifted(2.5f);
  const auto first = evaluator_.estimate({fp32, {candidate, 1}, 1}, {});
  const auto second = evaluator_.estimate({fp32, {candidate, 1}, 2}, {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->used_samples, first->samples);
  EXPECT_GT(second->samples, 0u);
  EXPECT_EQ(second->used_samples, first->samples + second->samples);
}

// A trial starts with the random sample of the estimates, so it evaluates only the other samples.
TEST_F(EarlyStoppingTest, ATrialReusesTheSamplesOfItsEstimate) {
  evaluator_.score_unless_below(0.89, shifted(50.5f), {});
  const Model fp32 = shifted(0);
  for (const float shift : {2.5f, 60.5f}) {  // meets the goal, misses the goal
    const Model candidate = shifted(shift);
    const Score alone = evaluator_.score_unless_below(0.89, candidate, {});
    for (const int level : {1, 2}) {
      const std::uint64_t plan = 10 * level + (shift > 10);
      const auto estimate = evaluator_.estimate({fp32, {candidate, plan}, level}, {});
      const Score after = evaluator_.score_unless_below(0.89, {candidate, plan}, {});
      EXPECT_EQ(after.metrics, alone.metrics);
      EXPECT_EQ(after.complete, alone.complete);
      EXPECT_EQ(after.samples + estimate->used_samples, alone.samples);
    }
  }
}

DataEvaluator evaluator_of(const std::vector<Component>& metrics) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < 40; ++i)
    samples.push_back({{Tensor::from<float>({1}, {static_cast<float>(i) - 20})}, Tensor::scalar<std::int64_t>(i % 3)});
  return {loader_of(std::move(samples), 10), make_metrics(metrics)};
}

const Component kCosine{"Cosine", {}, {}},
    kMaps{"PixelAgreement", Parameters({{"class_axis", std::string("none")}, {"threshold", 0.5}}), {}};
const Component kRecall{"RecallAtK", Parameters({{"k", std::int64_t{1}}, {"compare_label", true}}), {}};

TEST(ComparisonWithFp32, ContinuesAfterAResume) {
  DataEvaluator here = evaluator_of({kCosine, kMaps}), resumed = evaluator_of({kCosine, kMaps});
  here.baseline(shifted(0), {});
  resumed.restore(here.notes());
  const Score expected = here.score(shifted(2.5f), {});
  EXPECT_LT(expected.accuracy(), 1);
  EXPECT_EQ(resumed.score(shifted(2.5f), {}).metrics, expected.metrics);
  EXPECT_THROW(evaluator_of({kCosine}).restore(here.notes()), StoreError) << "the labels of another metric";
}

TEST(CheckMetrics, RefusesMetricsThatCannotJudgeTheOutputs) {
  EXPECT_NO_THROW(evaluator().check_metrics(shifted(0), {}));
  EXPECT_NO_THROW(evaluator_of({kCosine, kRecall}).check_metrics(shifted(0), {}));
  const DataEvaluator maps =
      evaluator_of({{"PixelAgreement", Parameters({{"class_axis", std::string("auto")}, {"threshold", 0.5}}), {}}});
  EXPECT_THAT(message_of<DataError>([&] { maps.check_metrics(shifted(0), {}); }),
              AllOf(HasSubstr("batch of samples 0..9"), HasSubstr("Agreement without")));
  const DataEvaluator top5 = evaluator_of({{"topk", Parameters({{"k", std::int64_t{5}}}), {}}});
  EXPECT_THAT(message_of<DataError>([&] { top5.check_metrics(shifted(0), {}); }), HasSubstr("k is 5"));
}

// Boxes in pixels are divided by the size of the images.
TEST(CheckMetrics, PassesTheSizeOfTheImagesToThePostprocess) {
  const auto x = parameter({-1, 3, 64, 64}, "x");
  const auto axes = op::Constant::create(ov::element::i64, {3}, {1, 2, 3});
  const auto mean = std::make_shared<op::ReduceMean>(x, axes, true);
  const auto number = std::make_shared<op::Squeeze>(mean, op::Constant::create(ov::element::i64, {1}, {3}));
  // [count,6,7]: seven anchors with center, size and the scores of two classes.
  std::vector<float> values;
  for (const float value : {32.0f, 24.0f, 8.0f, 9.0f, 0.3f, 0.2f}) values.insert(values.end(), 7, value);
  const Model model = as_model({std::make_shared<op::Add>(number, constant({1, 6, 7}, values))}, {x});
  EvaluateOptions options;
  options.postprocess = make_postprocesses({parse_component("Boxes: {}", postprocesses())});
  const DataEvaluator evaluator(loader_of(unlabelled({Tensor(ElementType::F32, {3, 64, 64})})),
                                make_metrics({parse_component("BoxAgreement: {}", metrics())}), options);
  EXPECT_NO_THROW(evaluator.check_metrics(model, {}));
}

TEST(Retrieval, IsNotEstimatedFromAPartOfTheSamples) {
  const Model fp32 = shifted(0), candidate = shifted(1);
  DataEvaluator recall = evaluator_of({kRecall});
  recall.baseline(fp32, {});
  EXPECT_FALSE(recall.estimate({fp32, {candidate, 1}, 1}, {}));
}

// Samples are a score and kNoisyModels columns of noise. Model k adds its own column to the score, multiplied by
// `deviation`.
constexpr std::size_t kNoisyModels = 40;

Model noisy(std::size_t k, float deviation) {
  const auto x = parameter({-1, kNoisyModels + 1}, "x");
  std::vector<float> weights(2 * (kNoisyModels + 1), 0.0f);  // two classes: zero, and the score
  weights[1] = 1;
  weights[2 * (k + 1) + 1] = deviation;
  return as_model({std::make_shared<op::MatMul>(x, constant({kNoisyModels + 1, 2}, weights))}, {x});
}

TEST(DataEvaluator, EstimatesTheAccuracyOfManyModelsWithoutBias) {
  std::mt19937 random(11);
  std::normal_distribution<float> score(1, 2), noise(0, 1);
  std::vector<Sample> samples;
  for (int i = 0; i < 1000; ++i) {
    std::vector<float> values{score(random)};
    for (std::size_t k = 0; k < kNoisyModels; ++k) values.push_back(noise(random));
    samples.push_back({{Tensor::from<float>({kNoisyModels + 1}, values)}, Tensor::scalar(std::int64_t{1})});
  }
  DataEvaluator evaluator(loader_of(std::move(samples), 50),
                          make_metrics({{"topk", Parameters({{"k", std::int64_t{1}}}), {}}}));
  const double baseline = evaluator.baseline(noisy(0, 0), {}).accuracy();
  double bias = 0, squares = 0;
  std::size_t estimates = 0;
  for (std::size_t k = 0; k < kNoisyModels; ++k) {
    const Model model = noisy(k, 0.5f + 0.1f * static_cast<float>(k));
    const Score estimated = evaluator.score_unless_below(baseline - 0.001, model, {});
    if (estimated.complete) continue;
    const double error = estimated.accuracy() - evaluator.score(model, {}).accuracy();
    bias += error;
    squares += error * error;
    ++estimates;
  }
  ASSERT_GE(estimates, 30u) << "too few models miss the goal early";
  EXPECT_LT(std::fabs(bias / static_cast<double>(estimates)), 0.01);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(estimates)), 0.04);
}

std::vector<std::string> warnings_of_baseline(const Model& model) {
  const std::vector<Sample> samples(40, {{Tensor::from<float>({1}, {1})}, Tensor::scalar(std::int64_t{1})});
  DataEvaluator evaluator(loader_of(samples, 4), make_metrics({{"topk", Parameters({{"k", std::int64_t{1}}}), {}}}),
                          {.threads = 2});
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view message) {
    if (level == LogLevel::Warning) warnings.emplace_back(message);
  };
  const Score score = evaluator.baseline(model, observer);
  EXPECT_EQ(score.samples, 40u);
  EXPECT_EQ(score.accuracy(), 1.0);
  return warnings;
}

TEST(DataEvaluator, WarnsOfANondeterministicBaseline) {
  const auto x = parameter({-1, 1}, "x");
  const auto any = std::make_shared<op::RandomUniform>(op::Constant::create(ov::element::i64, {2}, {1, 1}),
                                                       constant({}, {0.0f}), constant({}, {0.5f}), ov::element::f32);
  const auto score = std::make_shared<op::Add>(x, any);
  const auto zero = std::make_shared<op::Multiply>(x, constant({1, 1}, {0.0f}));
  const auto warnings =
      warnings_of_baseline(as_model({std::make_shared<op::Concat>(ov::OutputVector{zero, score}, 1)}, {x}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], ::testing::HasSubstr("different outputs for the same samples"));
}

TEST(DataEvaluator, DoesNotWarnIfStreamsAgree) { EXPECT_THAT(warnings_of_baseline(shifted(0)), ::testing::IsEmpty()); }

TEST(DataEvaluator, WarnsOfNanOnceForAllModels) {
  std::vector<Sample> samples(4, {{Tensor::from<float>({1}, {1})}, Tensor::scalar(std::int64_t{1})});
  samples[2].inputs = {Tensor::from<float>({1}, {std::nanf("")})};
  DataEvaluator evaluator(loader_of(std::move(samples), 2),
                          make_metrics({{"topk", Parameters({{"k", std::int64_t{1}}}), {}}}));
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view message) {
    if (level == LogLevel::Warning) warnings.emplace_back(message);
  };
  evaluator.baseline(shifted(0), observer);
  evaluator.score(shifted(0.5f), observer);
  evaluator.score_unless_below(0.5, shifted(0.5f), observer);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], ::testing::HasSubstr("1 of 4 evaluation samples contain NaN, first sample 2 in input 0;"));
}

// The share of steps whose largest score is the label's.
double streamed_accuracy(const DataLoader& loader) {
  const std::vector<StreamedStep> steps = run_by_hand(streaming_model(), loader);
  double right = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const float* scores = steps[i].outputs[0].data<float>();
    right += std::max_element(scores, scores + 3) - scores == loader.sample(i).label.value_at(0);
  }
  return right / static_cast<double>(steps.size());
}

std::vector<NamedMetric> top_one() { return make_metrics({{"topk", Parameters({{"k", std::int64_t{1}}}), {}}}); }

TEST(DataEvaluator, EvaluatesSequencesWithAnyNumberOfThreads) {
  const DataLoader loader = streaming_loader(400, {40});
  for (const int threads : {1, 2, 5}) {
    DataEvaluator evaluator(loader, top_one(), {.threads = threads});
    evaluator.expect_many();
    EXPECT_EQ(evaluator.baseline(streaming_model(), {}).accuracy(), streamed_accuracy(loader));
    EXPECT_EQ(evaluator.score(streaming_model(), {}).accuracy(), streamed_accuracy(loader));
  }
}

TEST(DataEvaluator, NeverStopsInsideASequence) {
  DataEvaluator evaluator(streaming_loader(400, {40}), top_one());
  evaluator.baseline(streaming_model(), {});
  const Score score = evaluator.score_unless_below(0.999, streaming_model(), {});
  EXPECT_TRUE(score.complete);
  EXPECT_EQ(score.samples, 400u);
}

TEST(DataEvaluator, EstimatesFromWholeSequences) {
  DataEvaluator evaluator(streaming_loader(400, {40}), top_one());
  const Model model = streaming_model();
  evaluator.baseline(model, {});
  const auto estimate = evaluator.estimate({model, {model, 1}, 2}, {});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->loss, 0);
  EXPECT_EQ(estimate->used_samples, 80u);
}

}  // namespace
}  // namespace lpot
