#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

TEST(F1, IsTheHarmonicMeanOfPrecisionAndRecallOfClassOne) {
  // right 1, answered 2, expected 3: precision 1/2, recall 1/3.
  EXPECT_DOUBLE_EQ(score(*f1(), {{0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 0}}, scalars({1, 0, 1, 1, 0})), 0.4);
}

TEST(F1, AcceptsOneScoreOrIntegersAsClasses) {
  EXPECT_DOUBLE_EQ(score(*f1(), {{0.6f}, {0.5f}, {0.9f}}, scalars({1, 1, 1})), 0.8);
  const auto counted = f1();
  counted->update({Tensor::from<std::int64_t>({3}, {1, 0, 1})}, scalars({1, 1, 1}));
  EXPECT_DOUBLE_EQ(counted->result(), 0.8);
}

TEST(F1, IsZeroWithoutATruePositive) { EXPECT_EQ(score(*f1(), {{1, 0}, {1, 0}}, scalars({0, 0})), 0); }

TEST(F1, IsComputedOverAllSamplesAndNotPerBatch) {
  const auto counted = f1();
  counted->update({matrix({{0, 1}})}, scalars({1}));
  counted->update({matrix({{1, 0}, {1, 0}})}, scalars({1, 1}));
  EXPECT_DOUBLE_EQ(counted->result(), 0.5);
}

TEST(F1, AveragesOverClassesIfMacro) {
  // Class 0: 1 right, 1 wrong yes; class 1: 0; class 2: 1 right.
  EXPECT_DOUBLE_EQ(score(*f1("macro"), {{9, 0, 0}, {9, 0, 0}, {0, 0, 9}}, scalars({0, 1, 2})), (2.0 / 3 + 0 + 1) / 3);
}

TEST(F1, CountsNanAsWrong) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_DOUBLE_EQ(score(*f1(), {{0, 1}, {nan, 1}, {1, nan}}, scalars({1, 1, 0})), 0.5);
  EXPECT_DOUBLE_EQ(score(*f1("macro"), {{0, 1}, {nan, 1}}, scalars({1, 1})), 2.0 / 3);
}

TEST(F1, RejectsMoreThanTwoClassesUnlessMacro) {
  EXPECT_THAT(data_error_of([] {
                f1()->update({matrix({{1, 2, 3}})}, scalars({0}));
              }),
              HasSubstr("3 classes, expected 2; use average macro"));
  EXPECT_THAT(data_error_of([] { f1()->update({Tensor::from<std::int64_t>({1}, {0})}, scalars({2})); }),
              HasSubstr("class 2 of sample 0"));
  EXPECT_THAT(data_error_of([] {
                f1("macro")->update({matrix({{1, 2}})}, scalars({2}));
              }),
              HasSubstr("label 2 of sample 0"));
  EXPECT_THROW(f1("micro"), ConfigError);
}

}  // namespace
}  // namespace lpot
