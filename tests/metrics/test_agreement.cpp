#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

TEST(Agreement, CountsSamplesWithThePredictionOfTheBaseline) {
  EXPECT_EQ(score(*metric("Agreement"), {{1, 3}, {4, 3}}, {row({0, 9}), row({0, 9})}), 0.5);
}

TEST(Agreement, UsesTheBaselineAsLabels) { EXPECT_TRUE(metric("Agreement")->labels_are_baseline()); }

TEST(Agreement, NeverAgreesOnNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(score(*metric("Agreement"), {{nan, 1}, {0, 1}}, {row({nan, 1}), row({nan, 1})}), 0.0);
}

TEST(Agreement, RejectsABaselineOfAnotherShape) {
  EXPECT_THAT(data_error_of([] {
                metric("Agreement")->update({matrix({{1, 2}})}, {row({1, 2, 3})});
              }),
              HasSubstr("sample 0 of the batch is f32 [3], expected 2 values"));
  EXPECT_THAT(data_error_of([] { metric("Agreement")->update({matrix({{1, 2}})}, {Tensor()}); }), HasSubstr("missing"));
}

TEST(Agreement, RejectsOneValuePerSample) {
  EXPECT_THAT(data_error_of([] { metric("Agreement")->update({matrix({{1}})}, {row({2})}); }), HasSubstr("use MSE"));
}

}  // namespace
}  // namespace lpot
