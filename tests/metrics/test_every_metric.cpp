// The contract of all metrics. A new metric gets a line in `cases`.
#include <cmath>
#include <random>
#include <set>

#include "lpot/core/text_tensor.h"
#include "support.h"
#include "tests/support/components.h"

namespace lpot {
namespace {

struct Sample {
  std::vector<Tensor> outputs;  // one row each
  Tensor label;
};

using Random = std::mt19937;

struct Case {
  std::string name;
  std::function<std::unique_ptr<Metric>()> make;
  std::function<Sample(Random&)> sample;
};

constexpr std::size_t kClasses = 8;

std::vector<float> values(Random& random, std::size_t count, float low = -3, float high = 3) {
  std::uniform_real_distribution<float> value(low, high);
  std::vector<float> all(count);
  for (float& each : all) each = value(random);
  return all;
}

Tensor row(Random& random, std::size_t count = kClasses) { return Tensor::from<float>({count}, values(random, count)); }

Tensor number(Random& random, std::size_t below) {
  return Tensor::scalar<std::int64_t>(static_cast<std::int64_t>(random() % below));
}

Sample class_sample(Random& random) { return {{row(random)}, number(random, kClasses)}; }
Sample yes_or_no_sample(Random& random) { return {{row(random, 2)}, number(random, 2)}; }
Sample row_sample(Random& random) { return {{row(random)}, row(random)}; }
Sample value_sample(Random& random) { return {{row(random, 1)}, Tensor::scalar<float>(values(random, 1)[0])}; }

Sample text_sample(Random& random) {
  const auto tokens = [&](std::size_t length) {
    std::vector<std::int32_t> ids(length);
    for (auto& id : ids) id = static_cast<std::int32_t>(random() % 5);
    return Tensor::from<std::int32_t>({length}, ids);
  };
  return {{tokens(12)}, tokens(3 + random() % 10)};
}

Sample map_sample(Random& random) {
  std::vector<std::uint8_t> points(12);
  for (auto& point : points) point = random() % 6 == 0 ? 255 : static_cast<std::uint8_t>(random() % kClasses);
  return {{row(random, kClasses * 12).reshaped({kClasses, 3, 4})}, Tensor::from<std::uint8_t>({3, 4}, points)};
}

// The scores of int8 and of fp32 for the points of a map.
Sample scores_sample(Random& random) {
  const Tensor of_int8 = row(random, kClasses * 12).reshaped({kClasses, 3, 4});
  return {{of_int8}, row(random, kClasses * 12).reshaped({kClasses, 3, 4})};
}

// Embeddings with few different values, so that several have the same cosine. The pairs are numbered in the order in
// which they are made.
Sample embedding_sample(Random& random, Tensor label) {
  std::vector<float> embedding(4);
  for (float& value : embedding) value = static_cast<float>(random() % 3) - 1;
  return {{Tensor::from<float>({4}, embedding)}, std::move(label)};
}

Sample pair_sample(Random& random) {
  static std::size_t made = 0;
  const auto pair = static_cast<double>(made++ / 2);
  return embedding_sample(random, Tensor::from<double>({2}, {pair, std::fmod(pair * 7, 5)}));
}

// Boxes that often overlap, with few different scores, so that many are equal.
Sample detection_sample(Random& random) {
  constexpr std::size_t kFound = 6;
  const auto box = [&] {
    const float top = static_cast<float>(random() % 4) / 8, left = static_cast<float>(random() % 4) / 8;
    return std::vector<float>{top, left, top + static_cast<float>(3 + random() % 2) / 8, left + 0.5f};
  };
  std::vector<float> boxes, scores, classes, truths;
  for (std::size_t i = 0; i < kFound; ++i) {
    for (const float side : box()) boxes.push_back(side);
    scores.push_back(static_cast<float>(random() % 8) / 8);
    classes.push_back(static_cast<float>(random() % 2));
  }
  const std::size_t objects = random() % 4;
  for (std::size_t i = 0; i < objects; ++i) {
    for (const float side : box()) truths.push_back(side);
    truths.insert(truths.end(), {static_cast<float>(random() % 2), random() % 5 == 0 ? 1.0f : 0.0f, 100.0f});
  }
  return {{Tensor::from<float>({kFound, 4}, boxes), Tensor::from<float>({kFound}, scores),
           Tensor::from<float>({kFound}, classes)},
          Tensor::from<float>({objects, 7}, truths)};
}

// The boxes of two models, some of them equal.
Sample agreed_boxes_sample(Random& random) {
  Sample sample = detection_sample(random);
  const auto batch = [](std::vector<Tensor> outputs) {
    for (Tensor& output : outputs) {
      Shape shape = output.shape();
      shape.insert(shape.begin(), 1);
      output = output.reshaped(shape);
    }
    return outputs;
  };
  const Sample other = random() % 2 == 0 ? detection_sample(random) : sample;
  return {sample.outputs, box_agreement(0.25)->baseline_label(batch(other.outputs), 0)};
}

// One-letter answers to few questions, so that most questions have several answers, some with equal scores.
Sample question_sample(Random& random) {
  const auto letter = [&] { return std::string(1, static_cast<char>('b' + random() % 4)); };
  const std::string id = "question " + std::to_string(random() % 30);
  return {{to_text_tensor({letter()}).reshaped({1}), Tensor::scalar(static_cast<double>(random() % 3))},
          to_text_tensor({id, "b", "c d"})};
}

Sample recognized_sample(Random& random) {
  std::string given(8, ' '), expected = "b";
  for (char& letter : given) letter = random() % 4 == 0 ? ' ' : static_cast<char>('a' + random() % 3);
  for (std::size_t i = random() % 8; i > 0; --i)
    expected += random() % 4 == 0 ? ' ' : static_cast<char>('a' + random() % 3);
  return {{to_text_tensor({given}).reshaped({given.size()})}, to_text_tensor({expected})};
}

std::unique_ptr<Metric> text_metric(const std::string& name, bool compare_label) {
  return make_metric(with_defaults(metrics(), name, {{"compare_label", compare_label}}));
}

std::vector<Case> cases() {
  return {{"top1", [] { return topk(1); }, class_sample},
          {"top5", [] { return topk(5); }, class_sample},
          {"Accuracy", [] { return metric("Accuracy"); }, class_sample},
          {"F1", [] { return f1(); }, yes_or_no_sample},
          {"F1_macro", [] { return f1("macro"); }, class_sample},
          {"Loss", [] { return metric("Loss"); }, row_sample},
          {"MSE", [] { return mse(true); }, row_sample},
          {"MSE_with_fp32", [] { return mse(false); }, row_sample},
          {"RMSE", [] { return rmse(true); }, row_sample},
          {"RMSE_with_fp32", [] { return rmse(false); }, row_sample},
          {"MAE", [] { return mae(true); }, row_sample},
          {"MAE_with_fp32", [] { return mae(false); }, row_sample},
          {"mIOU", [] { return miou(kClasses); }, map_sample},
          {"BLEU", [] { return metric("BLEU"); }, text_sample},
          {"GLUE_mrpc", [] { return glue("mrpc"); }, yes_or_no_sample},
          {"GLUE_f1", [] { return glue("mrpc", "f1"); }, yes_or_no_sample},
          {"GLUE_pearson", [] { return glue("sts-b", "pearson"); }, value_sample},
          {"GLUE_cola", [] { return glue("cola"); }, yes_or_no_sample},
          {"GLUE_stsb", [] { return glue("sts-b"); }, value_sample},
          {"SquadF1", [] { return metric("SquadF1"); }, question_sample},
          {"SquadExactMatch", [] { return metric("SquadExactMatch"); }, question_sample},
          {"mAP", [] { return detection("mAP", "0.5", 0); }, detection_sample},
          {"COCOmAP", [] { return detection("COCOmAP", "0.5:0.05:0.95", 101); }, detection_sample},
          {"VOCmAP", [] { return detection("VOCmAP", "0.5", 11); }, detection_sample},
          {"Agreement", [] { return metric("Agreement"); }, row_sample},
          {"BoxAgreement", [] { return box_agreement(0.25); }, agreed_boxes_sample},
          {"CER", [] { return text_metric("CER", true); }, recognized_sample},
          {"CER_with_fp32", [] { return text_metric("CER", false); }, recognized_sample},
          {"WER", [] { return text_metric("WER", true); }, recognized_sample},
          {"WER_with_fp32", [] { return text_metric("WER", false); }, recognized_sample},
          {"PixelAgreement", [] { return pixel_agreement(); }, scores_sample},
          {"mIOU_with_fp32",
           [] {
             return metric("mIOU", {{"num_classes", static_cast<std::int64_t>(kClasses)}, {"compare_label", false}});
           },
           scores_sample},
          {"Cosine", [] { return metric("Cosine"); }, row_sample},
          {"STS", [] { return sts("spearman"); }, pair_sample},
          {"RecallAtK", [] { return recall_at(3); },
           [](Random& random) { return embedding_sample(random, number(random, 40)); }},
          {"RecallAtK_with_fp32", [] { return recall_at(3, false); },
           [](Random& random) { return embedding_sample(random, row(random, 4)); }}};
}

struct Recorded {
  std::vector<Sample> samples;

  std::vector<Tensor> labels(std::size_t first, std::size_t last) const {
    std::vector<Tensor> part;
    for (std::size_t i = first; i < last; ++i) part.push_back(samples[i].label);
    return part;
  }

  std::vector<Tensor> outputs(std::size_t first, std::size_t last) const {
    std::vector<Tensor> batch;
    for (std::size_t k = 0; k < samples[0].outputs.size(); ++k) {
      const Tensor& model = samples[0].outputs[k];
      Shape none = model.shape();
      none.insert(none.begin(), 0);
      std::vector<Tensor> rows;
      for (std::size_t i = first; i < last; ++i) rows.push_back(samples[i].outputs[k]);
      batch.push_back(rows.empty() ? Tensor(model.element_type(), none) : stack(rows));
    }
    return batch;
  }

  void feed(Metric& metric, std::size_t first, std::size_t last) const {
    metric.update(outputs(first, last), labels(first, last));
  }
};

Recorded record(const Case& tested, std::size_t samples, Random& random) {
  Recorded recorded;
  for (std::size_t i = 0; i < samples; ++i) recorded.samples.push_back(tested.sample(random));
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

TEST_P(EveryMetric, MergesPartialResultsToTheResultOfTheWhole) {
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

TEST_P(EveryMetric, DoesNotDependOnTheOrderOfMerging) {
  recorded_.feed(*metric_, 0, 100);
  const auto merged = metric_->fresh();
  for (std::size_t first : {60u, 0u, 90u, 30u}) {
    const auto piece = metric_->fresh();
    recorded_.feed(*piece, first, first == 90 ? 100 : first + 30);
    merged->merge(*piece);
  }
  EXPECT_EQ(merged->result(), metric_->result());
}

// If a metric has sample scores, its result is their mean.
TEST_P(EveryMetric, IsTheMeanOfItsSampleScores) {
  recorded_.feed(*metric_, 0, 100);
  const auto scores = metric_->sample_scores(recorded_.outputs(0, 100), recorded_.labels(0, 100));
  if (!scores) return;
  ASSERT_EQ(scores->size(), 100u);
  double sum = 0;
  for (const SampleScore& sample : *scores) {
    sum += sample.value;
    if (sample.value == 1) {
      EXPECT_GE(sample.margin, 0);
    } else if (sample.value == 0) {
      EXPECT_LE(sample.margin, 0);
    }
  }
  EXPECT_NEAR(sum / 100, metric_->result(), 1e-12);
}

TEST(SampleScores, ExistForMetricsThatAreMeans) {
  std::set<std::string> with_scores;
  for (const Case& each : cases()) {
    Random random(1);
    const Recorded recorded = record(each, 4, random);
    if (each.make()->sample_scores(recorded.outputs(0, 4), recorded.labels(0, 4))) with_scores.insert(each.name);
  }
  EXPECT_EQ(with_scores,
            (std::set<std::string>{"top1", "top5", "Accuracy", "GLUE_mrpc", "Agreement", "PixelAgreement", "Cosine"}));
}

TEST_P(EveryMetric, IsEmptyAfterFresh) {
  recorded_.feed(*metric_, 0, 100);
  const auto fresh = metric_->fresh();
  EXPECT_THROW(fresh->result(), DataError);
  EXPECT_EQ(fresh->higher_is_better(), metric_->higher_is_better());
  EXPECT_EQ(fresh->labels_are_baseline(), metric_->labels_are_baseline());
  recorded_.feed(*fresh, 0, 100);
  EXPECT_EQ(fresh->result(), metric_->result());
}

TEST_P(EveryMetric, HasNoResultWithoutSamples) {
  EXPECT_THROW(metric_->result(), DataError);
  recorded_.feed(*metric_, 0, 0);
  EXPECT_THROW(metric_->result(), DataError);
}

TEST_P(EveryMetric, RejectsMergingWithAnotherMetric) {
  for (const Case& other : cases()) {
    if (other.name == GetParam().name) continue;
    EXPECT_THROW(metric_->merge(*other.make()), Error) << other.name;
  }
}

TEST_P(EveryMetric, RejectsOutputsThatDoNotMatchTheLabels) {
  EXPECT_THROW(metric_->update(recorded_.outputs(0, 100), recorded_.labels(0, 1)), DataError);
  EXPECT_THROW(metric_->update({}, recorded_.labels(0, 100)), DataError);
}

TEST_P(EveryMetric, IgnoresARejectedBatch) {
  if (GetParam().name == "Loss") return;  // ignores labels
  std::vector<Tensor> labels = recorded_.labels(0, 100);
  labels[99] = Tensor();
  EXPECT_THROW(metric_->update(recorded_.outputs(0, 100), labels), DataError);
  EXPECT_THROW(metric_->result(), DataError);
}

TEST_P(EveryMetric, StaysWithinItsRange) {
  recorded_.feed(*metric_, 0, 100);
  if (!metric_->higher_is_better()) return;
  const std::set<std::string> correlations{"GLUE_cola", "GLUE_pearson", "GLUE_stsb", "STS", "Cosine"};
  EXPECT_GE(metric_->result(), correlations.contains(GetParam().name) ? -1 : 0);
  EXPECT_LE(metric_->result(), GetParam().name.starts_with("Squad") ? 100 : 1);
}

TEST(MetricTable, ContainsEveryName) {
  for (const char* name : {"topk",
                           "Accuracy",
                           "F1",
                           "Loss",
                           "MSE",
                           "RMSE",
                           "MAE",
                           "mAP",
                           "COCOmAP",
                           "VOCmAP",
                           "mIOU",
                           "BLEU",
                           "SquadF1",
                           "SquadExactMatch",
                           "GLUE",
                           "Agreement",
                           "PixelAgreement",
                           "Cosine",
                           "STS",
                           "RecallAtK",
                           "CER",
                           "WER"})
    EXPECT_NE(find(metrics(), name), nullptr) << name;
}

TEST(MetricTable, SuggestsTheNearestNameForAnUnknownName) {
  try {
    metric("top-k");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'topk'?"));
  }
}

TEST(MetricName, DiffersForMetricsWithOtherParameters) {
  const auto name = [](const std::string& metric, std::map<std::string, Value> values) {
    return metric_name({metric, Parameters(std::move(values)), {}});
  };
  using Text = std::string;
  EXPECT_EQ(name("Accuracy", {}), "Accuracy");
  EXPECT_EQ(name("topk", {{"k", std::int64_t{5}}}), "topk 5");
  EXPECT_EQ(name("GLUE", {{"task", Text("cola")}}), "GLUE cola");
  EXPECT_EQ(name("MSE", {{"compare_label", true}}), "MSE");
  EXPECT_EQ(name("MSE", {{"compare_label", false}}), "MSE compare_label=false");
  EXPECT_EQ(name("mAP", {{"anno_path", Text("a.yaml")}, {"iou_thrs", Text("0.75")}, {"map_points", std::int64_t{0}}}),
            "mAP iou_thrs=0.75");
}

}  // namespace
}  // namespace lpot
