#include "lpot/evaluate/evaluate.h"

#include <cmath>

#include "lpot/core/error.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Component component(const std::string& name, std::map<std::string, Value> values = {}) {
  return {name, Parameters(std::move(values)), {}};
}
const Component kTop1 = component("topk", {{"k", std::int64_t{1}}});
const Component kTop2 = component("topk", {{"k", std::int64_t{2}}});
const Component kAgreement = component("Agreement");
const Component kMseToFp32 = component("MSE", {{"compare_label", false}});

// Scores of four classes: the input times `factors`.
Model scores(const std::vector<float>& factors = {1, 1, 1, 1}) {
  const auto x = parameter({-1, 4}, "x");
  return as_model({std::make_shared<op::Multiply>(x, constant({1, 4}, factors))}, {x});
}

// Eleven samples. The highest input of sample i is class i % 4, the second highest the next class. 6 labels are the
// highest, 2 the second highest, 3 neither.
std::vector<Sample> samples() {
  std::vector<Sample> result;
  for (std::size_t i = 0; i < 11; ++i) {
    Tensor row(ElementType::F32, {4});
    row.data<float>()[i % 4] = 2;
    row.data<float>()[(i + 1) % 4] = 1;
    const std::size_t behind = i < 6 ? 0 : i < 8 ? 1 : 2;
    result.push_back({{row}, Tensor::scalar(static_cast<std::int64_t>((i + behind) % 4))});
  }
  return result;
}

struct Setting {
  int threads;
  std::size_t batch_size;
};

class EvaluateAt : public ::testing::TestWithParam<Setting> {};

TEST_P(EvaluateAt, ComputesTheKnownScore) {
  const auto [threads, batch_size] = GetParam();
  const Score score =
      evaluate(scores(), loader_of(samples(), batch_size), make_metrics({kTop1, kTop2}), {.threads = threads});
  EXPECT_EQ(score.accuracy(), 6.0 / 11);
  ASSERT_EQ(score.metrics.size(), 2u);
  EXPECT_EQ(score.metrics[0].first, "topk 1");
  EXPECT_EQ(score.metrics[1].second, 8.0 / 11);
  EXPECT_EQ(score.samples, 11u);
}

TEST_P(EvaluateAt, ComparesEverySampleWithTheBaselineOutput) {
  const auto [threads, batch_size] = GetParam();
  const auto metrics = make_metrics({kAgreement, kMseToFp32});
  const DataLoader loader = loader_of(samples(), batch_size);
  const Evaluation itself = run_evaluation(scores(), loader, metrics, {.threads = threads, .is_baseline = true});
  const BaselineOutputs& baseline = itself.outputs;
  EXPECT_EQ(itself.score.metrics[0].second, 1.0);
  EXPECT_EQ(itself.score.metrics[1].second, 0.0);
  ASSERT_EQ(baseline.size(), 11u);

  // Class 0 is weakened. Its three samples (0, 4, 8) now go to class 1, and four of twelve products of 2 and 1 change.
  const Score other = evaluate(scores({0.25f, 1, 1, 1}), loader, metrics, {.threads = threads, .baseline = &baseline});
  EXPECT_EQ(other.metrics[0].second, 8.0 / 11);
  // At class 0, three rows change from 2 to 0.5 and two rows (3, 7) from 1 to 0.25.
  EXPECT_NEAR(other.metrics[1].second, (3 * 1.5 * 1.5 + 2 * 0.75 * 0.75) / 44, 1e-12);
}

// Maps of two classes and two points, [count,2,2]: PixelAgreement stores the classes, MSE the scores.
TEST(Evaluate, StoresWhatEachMetricNeedsOfTheBaseline) {
  const auto x = parameter({-1, 4}, "x");
  const auto maps_times = [&](float factor) {
    const auto scaled = std::make_shared<op::Multiply>(x, constant({1, 4}, {factor, factor, 1.0f, 1.0f}));
    const auto shape = op::Constant::create(ov::element::i64, {3}, std::vector<std::int64_t>{-1, 2, 2});
    return as_model({std::make_shared<op::Reshape>(scaled, shape, false)}, {x});
  };
  const Component classes = component("PixelAgreement", {{"class_axis", std::string("first")}, {"threshold", 0.5}});
  const auto metrics = make_metrics({classes, kMseToFp32});
  const Evaluation fp32 = run_evaluation(maps_times(1), loader_of(samples(), 3), metrics, {.is_baseline = true});
  ASSERT_EQ(fp32.outputs.size(), 11u);
  EXPECT_EQ(fp32.outputs[4].at(0).describe(), "i16 [2]");
  EXPECT_EQ(fp32.outputs[4].at(1).describe(), "f32 [2,2]");
  EXPECT_EQ(fp32.score.accuracy(), 1);
  const Score weaker = evaluate(maps_times(-1), loader_of(samples(), 4), metrics, {.baseline = &fp32.outputs});
  // Samples i % 4: 0 has scores 2 1 in the first class, 1 has 1 in it, 3 has 1: four, three and two points change.
  EXPECT_DOUBLE_EQ(weaker.accuracy(), 1 - (3 * 2.0 + 3 * 1.0 + 2 * 1.0) / 22);
  EXPECT_NEAR(weaker.metrics[1].second, (3 * (16.0 + 4) + 3 * 16.0 + 2 * 4.0) / 44, 1e-12);
}

TEST(Evaluate, RefusesMetricsOfClassesForEmbeddings) {
  const auto x = parameter({-1, 4}, "x");
  const auto axis = op::Constant::create(ov::element::i64, {1}, std::vector<std::int64_t>{1});
  const auto norm = std::make_shared<op::ReduceL2>(x, axis, true);
  const Model embeddings = as_model({std::make_shared<op::Divide>(x, norm)}, {x});
  EXPECT_THAT(message_of<DataError>([&] { evaluate(embeddings, loader_of(samples()), make_metrics({kTop1})); }),
              AllOf(HasSubstr("topk 1"), HasSubstr("divided by its length"), HasSubstr("RecallAtK")));
  const auto cosine = make_metrics({component("Cosine")});
  EXPECT_NEAR(run_evaluation(embeddings, loader_of(samples()), cosine, {.is_baseline = true}).score.accuracy(), 1,
              1e-12);
}

// The warnings of an evaluation.
std::vector<std::string> warnings_of(const std::function<void(const Observer&)>& evaluation) {
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view message) {
    if (level == LogLevel::Warning) warnings.emplace_back(message);
  };
  evaluation(observer);
  return warnings;
}

std::vector<Sample> samples_with_nan(const std::vector<std::size_t>& damaged) {
  std::vector<Sample> result = samples();
  for (const std::size_t index : damaged) result[index].inputs[0].data<float>()[1] = std::nanf("");
  return result;
}

TEST_P(EvaluateAt, WarnsOfSamplesWithNan) {
  const auto [threads, batch_size] = GetParam();
  const DataLoader loader(std::make_shared<MemoryData>(samples_with_nan({3, 10}), std::vector<std::string>{"x"}), {},
                          {.batch_size = batch_size});
  const auto warnings = warnings_of([&, threads = threads](const Observer& observer) {
    const Score score = evaluate(scores(), loader, make_metrics({kTop1}), {.threads = threads}, observer);
    EXPECT_EQ(score.accuracy(), 5.0 / 11) << "sample 3 was correct, sample 10 was not";
  });
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("2 of 11 evaluation samples contain NaN, first sample 3 in input 'x'"));
}

INSTANTIATE_TEST_SUITE_P(Settings, EvaluateAt,
                         ::testing::Values(Setting{1, 1}, Setting{2, 1}, Setting{1, 3}, Setting{2, 3}, Setting{1, 8},
                                           Setting{2, 8}),
                         [](const auto& test) {
                           return std::to_string(test.param.threads) + "_threads_batch_" +
                                  std::to_string(test.param.batch_size);
                         });

TEST(Evaluate, FindsMetricsThatNeedTheBaseline) {
  EXPECT_FALSE(needs_baseline(make_metrics({kTop1})));
  EXPECT_TRUE(needs_baseline(make_metrics({kTop1, kAgreement})));
}

// Compares the first output after postprocessing with that of the fp32 model after postprocessing.
class PostprocessedDifference : public Metric {
 public:
  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    for (std::size_t i = 0; i < labels.size(); ++i) sum_ += outputs[0].value_at(i) - labels[i].value_at(0);
  }
  void merge(const Metric& other) override { sum_ += dynamic_cast<const PostprocessedDifference&>(other).sum_; }
  double result() const override { return sum_; }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<PostprocessedDifference>(); }
  bool labels_are_baseline() const override { return true; }
  bool compares_postprocessed() const override { return true; }

 private:
  double sum_ = 0;
};

// The sum of each row of the first output.
class RowSums : public Postprocess {
 public:
  BatchResult apply(BatchResult batch) const override {
    const Tensor& output = batch.outputs[0];
    Tensor sums(ElementType::F32, {batch.labels.size()});
    for (std::size_t i = 0; i < output.size(); ++i)
      sums.data<float>()[i / (output.size() / batch.labels.size())] += static_cast<float>(output.value_at(i));
    EXPECT_EQ(batch.input_shapes.at(0).at(0), batch.labels.size());
    return {{sums}, batch.labels};
  }
};

TEST(Evaluate, ComparesWithThePostprocessedOutputsOfTheBaseline) {
  std::vector<NamedMetric> metrics;
  metrics.push_back({"difference", std::make_unique<PostprocessedDifference>()});
  metrics.push_back({"Agreement", make_metrics({kAgreement})[0].metric->fresh()});
  const DataLoader loader = loader_of(samples(), 3);
  const Postprocesses sums{std::make_shared<RowSums>()};
  const Evaluation itself = run_evaluation(scores(), loader, metrics, {.postprocess = sums, .is_baseline = true});
  EXPECT_EQ(itself.score.accuracy(), 0);
  ASSERT_EQ(itself.outputs.size(), 11u);
  ASSERT_EQ(itself.outputs[0].size(), 2u);
  EXPECT_EQ(itself.outputs[0][0].size(), 1u) << "postprocessed";
  EXPECT_EQ(itself.outputs[0][1].size(), 4u) << "the output of the model";
  // Class 0 is weakened: three rows lose 1.5 and two rows 0.75.
  const Score other =
      evaluate(scores({0.25f, 1, 1, 1}), loader, metrics, {.postprocess = sums, .baseline = &itself.outputs});
  EXPECT_NEAR(other.accuracy(), -(3 * 1.5 + 2 * 0.75), 1e-6);
  EXPECT_EQ(other.metrics[1].second, 8.0 / 11);
}

TEST(Evaluate, ReportsAMissingBaseline) {
  EXPECT_THAT(message_of<DataError>([] { evaluate(scores(), loader_of(samples()), make_metrics({kAgreement})); }),
              HasSubstr("compares with the fp32 model, but the fp32 outputs are missing"));
}

TEST(Evaluate, StartsWithEmptyMetricsEveryTime) {
  const auto metrics = make_metrics({kTop1});
  const DataLoader loader = loader_of(samples(), 4);
  EXPECT_EQ(evaluate(scores(), loader, metrics).accuracy(), evaluate(scores(), loader, metrics).accuracy());
}

TEST(Evaluate, NamesTheSamplesOfALabelThatIsOutOfRange) {
  auto data = samples();
  data[5].label = Tensor::scalar(std::int64_t{4});
  EXPECT_THAT(message_of<DataError>([&] { evaluate(scores(), loader_of(data, 4), make_metrics({kTop1})); }),
              AllOf(HasSubstr("batch of samples 4..7"), HasSubstr("label 4 of sample 1"), HasSubstr("0..3")));
}

TEST(Evaluate, ReportsAModelThatReturnsTooFewRows) {
  const auto x = parameter({-1, 4}, "x");
  const auto one = op::Constant::create(ov::element::i64, {1}, {0});
  const Model model = as_model({std::make_shared<op::ReduceMean>(x, one, true)}, {x});
  EXPECT_THAT(message_of<DataError>([&] { evaluate(model, loader_of(samples(), 4), make_metrics({kTop1})); }),
              AllOf(HasSubstr("f32 [1,4]"), HasSubstr("batch of 4 samples"), HasSubstr("expected 4 rows")));
}

TEST(Evaluate, NamesBothShapesIfDataDoNotFitTheModel) {
  const auto data = unlabelled({Tensor(ElementType::F32, {5})});
  EXPECT_THAT(message_of<DataError>([&] { evaluate(scores(), loader_of(data), make_metrics({kTop1})); }),
              AllOf(HasSubstr("x f32 [?,4]"), HasSubstr("f32 [1,5]")));
}

TEST(Evaluate, RejectsEmptyData) {
  EXPECT_THAT(message_of<DataError>([] { evaluate(scores(), loader_of({}), make_metrics({kTop1})); }),
              HasSubstr("empty"));
}

TEST(Evaluate, StopsOnRequest) {
  Observer observer;
  int asked = 0;
  observer.should_stop = [&] { return ++asked > 3; };
  EXPECT_THROW(evaluate(scores(), loader_of(samples()), make_metrics({kTop1}), {}, observer), Interrupted);
}

TEST(Evaluate, ReportsProgressUpToTheLastSample) {
  Observer observer;
  std::vector<std::size_t> done;
  observer.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.stage, "evaluate");
    EXPECT_EQ(progress.total, 11u);
    done.push_back(progress.done);
  };
  evaluate(scores(), loader_of(samples(), 4), make_metrics({kTop1}), {}, observer);
  EXPECT_THAT(done, ::testing::ElementsAre(4, 8, 11));
}

TEST(Evaluate, ShiftsLabelsThatStartAtOne) {
  auto data = samples();
  for (Sample& sample : data) sample.label = Tensor::scalar(*sample.label.data<std::int64_t>() + 1);
  const Component shift = component("LabelShift", {{"shift", std::int64_t{1}}});
  const Postprocesses chain = make_postprocesses({shift});
  EXPECT_EQ(evaluate(scores(), loader_of(data, 3), make_metrics({kTop1}), {.postprocess = chain}).accuracy(), 6.0 / 11);
}

}  // namespace
}  // namespace lpot
