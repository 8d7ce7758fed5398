#include "lpot/tune/distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lpot {
namespace {

Tensor values(const std::vector<float>& of) {
  Tensor tensor(ElementType::F32, {of.size()});
  std::copy(of.begin(), of.end(), tensor.data<float>());
  return tensor;
}

TEST(Distance, IsTheDifferenceOverTheSizeOfWhatIsExpected) {
  const Outputs expected{{values({1, -3})}, {values({4, 0})}}, outputs{{values({1, -1})}, {values({4, 2})}};
  EXPECT_DOUBLE_EQ(distance(outputs, expected, DistanceKind::Mean), 4.0 / 8);
  EXPECT_DOUBLE_EQ(distance(outputs, expected, DistanceKind::RootMeanSquare), std::sqrt(8.0 / 26));
  EXPECT_EQ(distance(expected, expected, DistanceKind::Mean), 0);
}

TEST(Distance, IsTheMeanOverFloatingPointOutputs) {
  Tensor ids(ElementType::I64, {1});
  ids.data<std::int64_t>()[0] = 7;
  Tensor others(ElementType::I64, {1});
  others.data<std::int64_t>()[0] = 9;
  const Outputs expected{{values({1}), ids, values({10})}}, outputs{{values({2}), others, values({10})}};
  EXPECT_DOUBLE_EQ(distance(outputs, expected, DistanceKind::Mean), 0.5);
}

TEST(Distance, IsInfiniteWhereAValueIsNotFinite) {
  const Outputs expected{{values({1, 2})}};
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    EXPECT_TRUE(std::isinf(distance({{values({bad, 2})}}, expected, DistanceKind::Mean)));
}

TEST(Distance, FromNothingIsTheDifferenceItself) {
  EXPECT_DOUBLE_EQ(distance({{values({3, 4})}}, {{values({0, 0})}}, DistanceKind::RootMeanSquare), 5);
}

}  // namespace
}  // namespace lpot
