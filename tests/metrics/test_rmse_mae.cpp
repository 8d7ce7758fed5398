#include <cmath>
#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

TEST(Rmse, IsTheRootOfTheMeanSquareOverAllSamples) {
  const auto counted = rmse();
  counted->update({matrix({{3, 0}})}, {row({0, 0})});
  counted->update({matrix({{4, 0}})}, {row({0, 0})});
  EXPECT_DOUBLE_EQ(counted->result(), 2.5);
}

TEST(Mae, AveragesAbsoluteDifferencesOverAllValues) {
  EXPECT_DOUBLE_EQ(score(*mae(), {{1, 2}, {3, 4}}, {row({2, 0}), row({3, 5})}), 1);
}

TEST(RmseAndMae, AreBetterIfLowerAndCanCompareWithTheBaseline) {
  for (const auto make : {&rmse, &mae}) {
    EXPECT_FALSE(make(true)->higher_is_better());
    EXPECT_FALSE(make(true)->labels_are_baseline());
    EXPECT_TRUE(make(false)->labels_are_baseline());
    EXPECT_TRUE(std::isnan(score(*make(true), {{std::numeric_limits<float>::quiet_NaN()}}, {row({0})})));
  }
}

TEST(RmseAndMae, RejectLabelsOfAnotherSizeWithTheirName) {
  EXPECT_THAT(data_error_of([] {
                rmse()->update({matrix({{1, 2}})}, {row({1})});
              }),
              HasSubstr("[RMSE] the label of sample 0"));
  EXPECT_THAT(data_error_of([] { mae()->update({matrix({{1}})}, {Tensor()}); }), HasSubstr("[MAE] sample 0"));
}

}  // namespace
}  // namespace lpot
