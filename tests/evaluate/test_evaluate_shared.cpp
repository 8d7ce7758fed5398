// Evaluation with several processes gives the same score as with one, bit for bit, also if it stops early.
#include <cmath>
#include <nlohmann/json.hpp>

#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/thread_transport.h"

namespace lpot {
namespace {

constexpr std::size_t kSharedSamples = 500;

// Two classes with the scores 0 and the product of the shifted input.
Model shifted_product(float shift) {
  const auto x = parameter({-1, -1}, "x");
  const auto mean = std::make_shared<op::ReduceMean>(x, op::Constant::create(ov::element::i64, {1}, {1}), true);
  const auto score = std::make_shared<op::Subtract>(mean, constant({1, 1}, {shift}));
  const auto zero = std::make_shared<op::Multiply>(mean, constant({1, 1}, {0.0f}));
  Model model = as_model({std::make_shared<op::Concat>(ov::OutputVector{zero, score}, 1)}, {x});
  model.derivation = std::to_string(shift);  // identifies the model for workers
  return model;
}

// All samples are of class 1, a tenth of them wrong. With batch size 1, rows have three different lengths.
DataLoader labelled_rows(std::size_t batch_size) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < kSharedSamples; ++i) {
    const float middle = i % 10 == 3 ? -1.0f : static_cast<float>(i % 97);
    std::vector<float> values = random_values(batch_size > 1 ? 5 : 5 + i % 3, static_cast<unsigned>(i));
    for (float& value : values) value += middle;
    samples.push_back({{Tensor::from<float>({values.size()}, values)}, Tensor::scalar(std::int64_t{1})});
  }
  return loader_of(std::move(samples), batch_size);
}

struct Scores {
  std::vector<Score> all;
  std::string notes;
};

Scores scores_of(DataEvaluator evaluator) {
  Scores scores;
  scores.all.push_back(evaluator.baseline(shifted_product(0), {}));
  const double lowest = scores.all.back().accuracy() - 0.02;
  for (const float shift : {40.5f, 60.5f, 1.0f, 30.5f})
    scores.all.push_back(evaluator.score_unless_below(lowest, shifted_product(shift), {}));
  scores.all.push_back(evaluator.score(shifted_product(10.5f), {}));
  scores.notes = evaluator.notes();
  return scores;
}

void expect_equal(const Scores& one, const Scores& other) {
  for (std::size_t i = 0; i < one.all.size(); ++i) {
    EXPECT_EQ(one.all[i].metrics, other.all[i].metrics) << i;
    EXPECT_EQ(one.all[i].samples, other.all[i].samples) << i;
    EXPECT_EQ(one.all[i].complete, other.all[i].complete) << i;
  }
  EXPECT_EQ(one.notes, other.notes);
}

struct Case {
  int processes;
  std::size_t batch_size;
  std::optional<double> confidence;
};
void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.processes << " processes, batch " << tested.batch_size << (tested.confidence ? ", confidence" : "");
}

class EvaluateShared : public testing::TestWithParam<Case> {
 protected:
  DataEvaluator evaluator(const EvaluateOptions& options) const {
    std::vector<Component> metrics{{"topk", Parameters({{"k", std::int64_t{1}}}), {}}, {"Loss", {}, {}}};
    return {loader_, make_metrics(metrics), options};
  }
  DataLoader loader_ = labelled_rows(GetParam().batch_size);
};

TEST_P(EvaluateShared, ComputesTheSameScoresSampleScoresAndStops) {
  EvaluateOptions options{.threads = 1, .confidence = GetParam().confidence};
  const Scores alone = scores_of(evaluator(options));
  EXPECT_FALSE(alone.all[1].complete);
  EXPECT_FALSE(alone.all[2].complete);
  EXPECT_LT(alone.all[2].samples, alone.all[1].samples);
  EXPECT_TRUE(alone.all[3].complete);
  options.threads = 3;
  expect_equal(alone, scores_of(evaluator(options)));

  WorkerThreads workers(GetParam().processes, [this](int rank) {
    return [this, rank](const std::string& bytes) {
      const auto order = nlohmann::json::from_cbor(bytes);
      return evaluate_task(order, rank, shifted_product(std::stof(order["model"]["derivation"].get<std::string>())),
                           loader_);
    };
  });
  options.threads = 1;
  options.executor = make_executor(&workers.coordinator());
  expect_equal(alone, scores_of(evaluator(options)));
}

TEST(EvaluateSharedNan, IsReportedLikeByOneProcess) {
  std::vector<Sample> samples(100, {{Tensor::from<float>({2}, {1, 2})}, Tensor::scalar(std::int64_t{1})});
  for (const std::size_t damaged : {41u, 42u, 97u})
    samples[damaged].inputs = {Tensor::from<float>({2}, {1, std::nanf("")})};
  const DataLoader loader = loader_of(std::move(samples), 8);
  WorkerThreads workers(3, [&](int rank) {
    return [&loader, rank](const std::string& bytes) {
      return evaluate_task(nlohmann::json::from_cbor(bytes), rank, shifted_product(0), loader);
    };
  });
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view message) {
    if (level == LogLevel::Warning) warnings.emplace_back(message);
  };
  const auto metrics = make_metrics({{"topk", Parameters({{"k", std::int64_t{1}}}), {}}});
  evaluate(shifted_product(0), loader, metrics, {.threads = 1}, observer);
  evaluate(shifted_product(0), loader, metrics, {.threads = 1, .executor = make_executor(&workers.coordinator())},
           observer);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[0], testing::HasSubstr("3 of 100 evaluation samples contain NaN, first sample 41 in input 0"));
  EXPECT_EQ(warnings[0], warnings[1]);
}

INSTANTIATE_TEST_SUITE_P(Cases, EvaluateShared,
                         testing::Values(Case{2, 8, {}}, Case{4, 8, {}}, Case{2, 1, {}}, Case{4, 1, {}},
                                         Case{2, 64, 0.999}, Case{4, 7, 0.999}));

}  // namespace
}  // namespace lpot
