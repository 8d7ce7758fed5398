#include "lpot/metrics/embeddings.h"

#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(CosineMetric, IsTheMeanOverSamples) {
  EXPECT_DOUBLE_EQ(score(*metric("Cosine"), {{2, 0}, {0, 3}, {-1, 0}}, {row({1, 0}), row({1, 0}), row({1, 0})}), 0);
  EXPECT_DOUBLE_EQ(score(*metric("Cosine"), {{3, 4}}, {row({4, 3})}), 24.0 / 25);
}

TEST(CosineMetric, OfZerosAndOfNan) {
  EXPECT_EQ(score(*metric("Cosine"), {{0, 0}}, {row({0, 0})}), 1);
  EXPECT_EQ(score(*metric("Cosine"), {{0, 0}}, {row({1, 0})}), 0);
  EXPECT_EQ(score(*metric("Cosine"), {{kNan, 1}}, {row({kNan, 1})}), -1);
  EXPECT_EQ(score(*metric("Cosine"), {{kInfinity, 1}}, {row({1, 1})}), -1);
}

TEST(CosineMetric, ComparesTheTokensThatBothOutputsHave) {
  const auto metric_of_tokens = metric("Cosine");
  metric_of_tokens->update({Tensor::from<float>({1, 3, 2}, {1, 0, 0, 1, 5, 5})},
                           {Tensor::from<float>({2, 2}, {2, 0, 0, 2})});
  EXPECT_DOUBLE_EQ(metric_of_tokens->result(), 1);
}

TEST(CosineMetric, RejectsOtherBaselines) {
  EXPECT_THAT(data_error_of([] {
                score(*metric("Cosine"), {{1, 2}}, {row({1, 2, 3})});
              }),
              HasSubstr("sample 0 of the batch is f32 [3], expected the shape [2]"));
  EXPECT_THAT(data_error_of([] { score(*metric("Cosine"), {{1, 2}}, {Tensor()}); }), HasSubstr("is missing"));
  EXPECT_THAT(data_error_of([] { score(*metric("Cosine"), {{1}}, {row({2})}); }), HasSubstr("use MSE"));
}

Tensor pair(double number, double similarity) { return Tensor::from<double>({2}, {number, similarity}); }

TEST(Sts, JoinsTheTextsOfAPairInAnyOrder) {
  const auto metric = sts("pearson");
  metric->update({matrix({{1, 0}, {0, 1}, {1, 1}})}, {pair(5, 0), pair(7, 5), pair(9, 1)});
  metric->update({matrix({{1, 0.1f}, {1, 0}, {0, 1}})}, {pair(9, 1), pair(5, 0), pair(7, 5)});
  EXPECT_NEAR(metric->result(), 0.3273, 1e-4) << "cosines 1, 1, 0.774";
}

TEST(Sts, RejectsLabelsThatAreNoPairs) {
  const auto error_of = [](const Tensor& label) {
    return data_error_of([&] { score(*sts("spearman"), {{1, 0}}, {label}); });
  };
  EXPECT_THAT(error_of(Tensor()), AllOf(HasSubstr("is missing"), HasSubstr("pairs: separate")));
  EXPECT_THAT(error_of(Tensor::scalar<float>(3)), HasSubstr("expected two numbers"));
  EXPECT_THAT(error_of(pair(0.5, 1)), HasSubstr("[0.5, 1]"));
  EXPECT_THAT(error_of(pair(1, kNan)), HasSubstr("expected two numbers"));
}

TEST(Sts, RejectsIncompleteAndInconsistentPairs) {
  EXPECT_THAT(data_error_of([] {
                score(*sts("spearman"), {{1, 0}}, {pair(3, 1)});
              }),
              HasSubstr("pair 3 has only one text"));
  const std::vector<std::vector<float>> two{{1, 0}, {0, 1}}, three{{1, 0}, {0, 1}, {1, 1}};
  EXPECT_THAT(data_error_of([&] {
                score(*sts("spearman"), two, {pair(3, 1), pair(3, 2)});
              }),
              HasSubstr("the texts of pair 3 have the labels 1 and 2"));
  EXPECT_THAT(data_error_of([&] {
                score(*sts("spearman"), three, {pair(3, 1), pair(3, 1), pair(3, 1)});
              }),
              HasSubstr("pair 3 has more than two texts"));
  EXPECT_THAT(data_error_of([&] {
                sts("spearman")->update({Tensor(ElementType::F32, {1, 4, 8})}, {pair(0, 1)});
              }),
              HasSubstr("[1,4,8]"));
  EXPECT_THROW(sts("kendall"), ConfigError);
}

TEST(RecallAtK, CountsNeighborsOfTheSameClass) {
  // In the order of their angles, so that the nearest neighbors are next to each other.
  const std::vector<std::vector<float>> rows{{10, 0}, {10, 1}, {10, 4}, {10, 4.5f}, {0, 1}};
  EXPECT_DOUBLE_EQ(score(*recall_at(1), rows, scalars({0, 0, 1, 1, 0})), 0.8) << "the last is nearest to class 1";
  EXPECT_DOUBLE_EQ(score(*recall_at(3), rows, scalars({0, 0, 1, 1, 0})), 1);
  EXPECT_DOUBLE_EQ(score(*recall_at(1), rows, scalars({0, 0, 1, 1, 7})), 1) << "alone in its class";
}

TEST(RecallAtK, ComparesNeighborsWithThoseOfFp32) {
  const std::vector<std::vector<float>> rows{{10, 0}, {10, 1}, {10, 4}, {10, 4.5f}};
  std::vector<Tensor> same, other;
  for (const auto& each : rows) same.push_back(row(each));
  EXPECT_EQ(score(*recall_at(2, false), rows, same), 1);
  other = {same[0], same[2], same[1], same[3]};
  EXPECT_EQ(score(*recall_at(1, false), rows, other), 0);
}

TEST(RecallAtK, RejectsWhatCannotBeSearched) {
  EXPECT_THAT(data_error_of([] {
                score(*recall_at(2), {{1, 0}, {0, 1}}, scalars({0, 0}));
              }),
              HasSubstr("k is 2, but there are only 2 samples; expected at least 3"));
  EXPECT_THAT(data_error_of([] {
                score(*recall_at(1), {{1, 0}, {0, 1}}, scalars({0, 1}));
              }),
              AllOf(HasSubstr("no two of the 2 samples have the same class"), HasSubstr("compare_label: false")));
  EXPECT_THAT(data_error_of([] { score(*recall_at(1), {{1, 0}}, {Tensor()}); }), HasSubstr("has no label"));
  EXPECT_THAT(data_error_of([] {
                score(*recall_at(1, false), {{1, 0}}, {row({1, 2, 3})});
              }),
              HasSubstr("is f32 [3], expected 2 values"));
  EXPECT_THAT(data_error_of([] {
                recall_at(1)->update({Tensor(ElementType::F32, {1, 4, 8})}, scalars({0}));
              }),
              HasSubstr("[1,4,8]"));
  EXPECT_THROW(recall_at(0), ConfigError);
}

EmbeddingRows rows_of(const std::vector<std::vector<double>>& rows) {
  EmbeddingRows all{.size = rows[0].size()};
  for (const auto& each : rows) all.add(each);
  return all;
}

TEST(Neighbors, IncludeAllWithTheSameCosine) {
  const EmbeddingRows rows = rows_of({{1, 0}, {2, 0}, {3, 0}, {0, 1}});
  const auto near = neighbors(rows, {0, 4}, 1);
  EXPECT_THAT(near[0], ElementsAre(1, 2));
  EXPECT_THAT(near[3], ElementsAre(0, 1, 2));
}

TEST(Neighbors, AreNeverRowsWithNan) {
  const EmbeddingRows rows = rows_of({{1, 0}, {kNan, 0}, {1, 1}});
  const auto near = neighbors(rows, {0, 3}, 2);
  EXPECT_THAT(near[0], ElementsAre(2));
  EXPECT_THAT(near[1], IsEmpty());
}

TEST(Neighbors, AreTheSameInAnyPartOfTheRows) {
  EmbeddingRows rows{.size = 7};
  std::uint32_t state = 1;
  for (int i = 0; i < 600 * 7; ++i)
    rows.values.push_back(static_cast<float>((state = state * 1664525u + 1013904223u) >> 20));
  const auto all = neighbors(rows, {0, 600}, 3);
  EXPECT_EQ(neighbors(rows, {290, 1}, 3)[0], all[290]);
  EXPECT_EQ(neighbors(rows, {599, 1}, 3)[0], all[599]);
}

}  // namespace
}  // namespace lpot
