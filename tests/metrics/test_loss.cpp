#include <cmath>
#include <limits>

#include "support.h"

namespace lpot {
namespace {

TEST(Loss, IsTheMeanOfTheFirstOutputAndNeedsNoLabels) {
  EXPECT_DOUBLE_EQ(score(*metric("Loss"), {{1}, {2}, {6}}, {Tensor(), Tensor(), Tensor()}), 3);
  EXPECT_DOUBLE_EQ(score(*metric("Loss"), {{1, 2}, {3, 6}}, {Tensor(), Tensor()}), 3);
}

TEST(Loss, IsBetterIfLower) { EXPECT_FALSE(metric("Loss")->higher_is_better()); }

TEST(Loss, IsNanIfAnOutputIsNan) {
  EXPECT_TRUE(std::isnan(score(*metric("Loss"), {{std::numeric_limits<float>::quiet_NaN()}}, {Tensor()})));
}

}  // namespace
}  // namespace lpot
