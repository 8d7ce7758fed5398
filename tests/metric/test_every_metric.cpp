// What every metric promises, whatever it counts. A new metric gets a line in `cases`.
#include <random>

#include "support.h"

namespace lpot {
namespace {

struct Case {
  std::string name;
  std::function<std::unique_ptr<Metric>()> make;
  bool label_is_row = false;  // the label is a row like the output's instead of a class
};

std::vector<Case> cases() {
  return {{"top1", [] { return topk(1); }},
          {"top5", [] { return topk(5); }},
          {"Accuracy", [] { return metric("Accuracy"); }},
          {"MSE", [] { return mse(true); }, true},
          {"MSE_with_fp32", [] { return mse(false); }, true},
          {"Agreement", [] { return metric("Agreement"); }, true}};
}

constexpr std::size_t kClasses = 8;

struct Recorded {
  std::vector<std::vector<float>> rows;
  std::vector<Tensor> labels;

  void feed(Metric& metric, std::size_t first, std::size_t last) const {
    const auto part = [&](const auto& all) {
      return std::decay_t<decltype(all)>(all.begin() + static_cast<long>(first), all.begin() + static_cast<long>(last));
    };
    metric.update({matrix(part(rows))}, part(labels));
  }
};

Recorded record(const Case& tested, std::size_t samples, std::mt19937& random) {
  std::uniform_real_distribution<float> value(-3, 3);
  const auto row = [&] {
    std::vector<float> values(kClasses);
    for (float& each : values) each = value(random);
    return values;
  };
  Recorded recorded;
  for (std::size_t i = 0; i < samples; ++i) {
    recorded.rows.push_back(row());
    recorded.labels.push_back(tested.label_is_row
                                  ? Tensor::from<float>({kClasses}, row())
                                  : Tensor::scalar<std::int64_t>(static_cast<std::int64_t>(random() % kClasses)));
  }
  return recorded;
}

class EveryMetric : public ::testing::TestWithParam<Case> {
 protected:
  std::mt19937 random_{42};
  Recorded recorded_ = record(GetParam(), 100, random_);
  std::unique_ptr<Metric> metric_ = GetParam().make();
};

INSTANTIATE_TEST_SUITE_P(All, EveryMetric, ::testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(EveryMetric, MergesPiecesToTheResultOfTheWhole) {
  recorded_.feed(*metric_, 0, 100);
  for (int round = 0; round < 50; ++round) {
    const auto merged = metric_->fresh();
    for (std::size_t first = 0; first < 100;) {
      const std::size_t last = std::min<std::size_t>(100, first + random_() % 40);
      const auto piece = metric_->fresh();
      recorded_.feed(*piece, first, last);
      merged->merge(*piece);
      first = last;
    }
    ASSERT_EQ(merged->result(), metric_->result());
  }
}

TEST_P(EveryMetric, DoesNotDependOnTheOrderOfThePieces) {
  recorded_.feed(*metric_, 0, 100);
  const auto merged = metric_->fresh();
  for (std::size_t first : {60u, 0u, 90u, 30u}) {
    const auto piece = metric_->fresh();
    recorded_.feed(*piece, first, first == 90 ? 100 : first + 30);
    merged->merge(*piece);
  }
  EXPECT_EQ(merged->result(), metric_->result());
}

TEST_P(EveryMetric, StartsAfreshWithNothingCounted) {
  recorded_.feed(*metric_, 0, 100);
  const auto fresh = metric_->fresh();
  EXPECT_THROW(fresh->result(), DataError);
  EXPECT_EQ(fresh->higher_is_better(), metric_->higher_is_better());
  EXPECT_EQ(fresh->labels_are_baseline(), metric_->labels_are_baseline());
  recorded_.feed(*fresh, 0, 100);
  EXPECT_EQ(fresh->result(), metric_->result());
}

TEST_P(EveryMetric, HasNoResultBeforeItCounted) {
  EXPECT_THROW(metric_->result(), DataError);
  metric_->update({Tensor(ElementType::F32, {0, kClasses})}, {});
  EXPECT_THROW(metric_->result(), DataError);
}

TEST_P(EveryMetric, RefusesToMergeWithAnotherMetric) {
  for (const Case& other : cases()) {
    if (other.name == GetParam().name) continue;
    EXPECT_THROW(metric_->merge(*other.make()), Error) << other.name;
  }
}

TEST_P(EveryMetric, RefusesOutputsThatDoNotFitTheLabels) {
  EXPECT_THROW(metric_->update({matrix(recorded_.rows)}, {recorded_.labels[0]}), DataError);
  EXPECT_THROW(metric_->update({}, recorded_.labels), DataError);
}

TEST(MetricTable, KnowsEveryNameOfLpot) {
  for (const char* name : {"topk", "Accuracy", "F1", "Loss", "MSE", "RMSE", "MAE", "mAP", "COCOmAP", "VOCmAP", "mIOU",
                           "BLEU", "SquadF1", "GLUE", "Agreement"})
    EXPECT_NE(find(metrics(), name), nullptr) << name;
}

TEST(MetricTable, RefusesWhatItCannotMakeAndSaysWhy) {
  try {
    metric("BLEU");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("[BLEU] not available yet"));
  }
  try {
    metric("top-k");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'topk'?"));
  }
}

}  // namespace
}  // namespace lpot
