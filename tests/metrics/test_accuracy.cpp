#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

TEST(Accuracy, PredictsTheClassOfTheHighestScore) {
  EXPECT_EQ(score(*metric("Accuracy"), {{1, 3, 2}, {5, 4, 3}}, scalars({1, 1})), 0.5);
}

TEST(Accuracy, PredictsClassOneForOneScoreAboveAHalf) {
  EXPECT_EQ(score(*metric("Accuracy"), {{0.6f}, {0.5f}, {0.4f}, {0.9f}}, scalars({1, 0, 0, 0})), 0.75);
}

TEST(Accuracy, AcceptsIntegersAsClasses) {
  const auto counted = metric("Accuracy");
  counted->update({Tensor::from<std::int64_t>({3}, {7, 8, 9})}, scalars({7, 8, 0}));
  EXPECT_DOUBLE_EQ(counted->result(), 2.0 / 3);
}

TEST(Accuracy, CountsEachOfSeveralBinaryPredictions) {
  const Tensor label = Tensor::from<std::int64_t>({4}, {1, 0, 1, 1});
  EXPECT_EQ(score(*metric("Accuracy"), {{0.9f, 0.1f, 0.2f, 0.7f}}, {label}), 0.75);
}

TEST(Accuracy, NeverCountsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(score(*metric("Accuracy"), {{nan, 1}}, scalars({1})), 0.0);
  EXPECT_EQ(score(*metric("Accuracy"), {{nan}}, scalars({0})), 0.0);
  EXPECT_EQ(metric("Accuracy")->sample_scores({matrix({{nan}})}, scalars({0}))->at(0).margin, 0) << "unknown";
}

TEST(Accuracy, NamesALabelOutOfRange) {
  EXPECT_THAT(data_error_of([] {
                metric("Accuracy")->update({matrix({{1, 2}})}, scalars({2}));
              }),
              HasSubstr("[Accuracy] label 2"));
  EXPECT_THAT(data_error_of([] { metric("Accuracy")->update({matrix({{0.3f}})}, scalars({2})); }),
              HasSubstr("2 classes"));
}

}  // namespace
}  // namespace lpot
