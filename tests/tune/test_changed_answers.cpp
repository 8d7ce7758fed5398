#include "lpot/tune/changed_answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lpot {
namespace {

Tensor rows(const Shape& shape, const std::vector<float>& values) { return Tensor::from<float>(shape, values); }

TEST(ChangedAnswers, AppliesTheNoiseOfEachMarginToAllMargins) {
  // Margins 1 and 4. The noise of the margins is -2 and -1: of four pairs, only margin 1 with noise -2 changes.
  const Outputs expected{{rows({2, 3}, {3, 2, 0, 0, 1, 5})}};
  const Outputs outputs{{rows({2, 3}, {2, 3, 0, 0, 1, 4})}};
  EXPECT_DOUBLE_EQ(*changed_answers(outputs, expected), 0.25);
  EXPECT_DOUBLE_EQ(distance(outputs, expected, DistanceKind::ChangedAnswers), 0.25);
}

// Clipping moves the largest scores, but the answers stay certain.
TEST(ChangedAnswers, IsSmallForScoresThatAreClippedFarAboveTheOthers) {
  const Outputs expected{{rows({2, 2}, {20, 0, 0, 30})}};
  const Outputs clipped{{rows({2, 2}, {15, 0, 0, 15})}};
  EXPECT_EQ(*changed_answers(clipped, expected), 0);
  EXPECT_GT(distance(clipped, expected, DistanceKind::Mean), 0.3);
}

TEST(ChangedAnswers, IsTheMeanOverAllOutputsWithScores) {
  const Tensor fp32 = rows({1, 2}, {1, 0}), same = fp32, other = rows({1, 2}, {0, 1});
  const Tensor map = rows({1, 1, 2}, {5, 6});
  EXPECT_DOUBLE_EQ(*changed_answers({{same, map, other}}, {{fp32, map, fp32}}), 0.5);
}

TEST(ChangedAnswers, IsUnknownForMapsEmbeddingsAndSingleValues) {
  for (const Tensor& output : {rows({1, 2, 2}, {1, 2, 3, 4}), rows({2, 2}, {-0.6f, 0.8f, 1, 0}), rows({2, 1}, {1, 2}),
                               Tensor::from<std::int64_t>({1, 2}, {1, 2})}) {
    EXPECT_FALSE(changed_answers({{output}}, {{output}})) << output.describe();
    EXPECT_EQ(distance({{output}}, {{output}}, DistanceKind::ChangedAnswers), 0);
  }
}

TEST(ChangedAnswers, IsInfiniteWhereAValueIsNotFinite) {
  const Outputs expected{{rows({1, 2}, {1, 0})}};
  const Outputs outputs{{rows({1, 2}, {std::numeric_limits<float>::quiet_NaN(), 0})}};
  EXPECT_TRUE(std::isinf(*changed_answers(outputs, expected)));
}

}  // namespace
}  // namespace lpot
