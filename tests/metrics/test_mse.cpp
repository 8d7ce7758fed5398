#include <cmath>
#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

TEST(Mse, AveragesSquaredDifferencesOverAllValues) {
  EXPECT_DOUBLE_EQ(score(*mse(), {{1, 2}, {3, 4}}, {row({1, 0}), row({0, 3})}), (0 + 4 + 9 + 1) / 4.0);
}

TEST(Mse, AcceptsIntegersAsLabels) { EXPECT_DOUBLE_EQ(score(*mse(), {{1.5f}, {2}}, scalars({1, 2})), 0.125); }

TEST(Mse, IsBetterIfLower) { EXPECT_FALSE(mse()->higher_is_better()); }

TEST(Mse, ComparesWithTheBaselineWithoutCompareLabel) {
  EXPECT_FALSE(mse(true)->labels_are_baseline());
  EXPECT_TRUE(mse(false)->labels_are_baseline());
  EXPECT_THROW(mse(true)->merge(*mse(false)), Error);
}

TEST(Mse, KeepsSmallErrorsBesideAHugeOne) {
  const auto counted = mse();
  counted->update({matrix({{1e10f}})}, {row({0})});
  for (int i = 0; i < 1000; ++i) counted->update({matrix({{0.01f}})}, {row({0})});
  counted->update({matrix({{1e10f}})}, {row({0})});
  const double huge = 1e10f, small = 0.01f;
  EXPECT_DOUBLE_EQ(counted->result(), (2 * huge * huge + 1000 * small * small) / 1002);
}

TEST(Mse, IsNanIfAnOutputIsNan) {
  EXPECT_TRUE(std::isnan(score(*mse(), {{std::numeric_limits<float>::quiet_NaN()}}, {row({0})})));
}

TEST(Mse, RejectsLabelsOfAnotherSize) {
  EXPECT_THAT(data_error_of([] {
                mse()->update({matrix({{1, 2}})}, {row({1, 2, 3})});
              }),
              HasSubstr("sample 0 of the batch is f32 [3]"));
  EXPECT_THAT(data_error_of([] { mse()->update({matrix({{1, 2}})}, {Tensor()}); }), HasSubstr("compare_label false"));
}

}  // namespace
}  // namespace lpot
