#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TopK, CountsLabelsWithTheHighestScore) {
  EXPECT_EQ(score(*topk(1), {{1, 3, 2}, {5, 4, 3}, {0, 0, 1}, {0, 1, 0}}, scalars({1, 1, 2, 1})), 0.75);
}

TEST(TopK, CountsLabelsAmongTheKHighest) {
  const std::vector<std::vector<float>> rows(6, {6, 5, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(score(*topk(5), rows, scalars({0, 1, 2, 3, 4, 5})), 5.0 / 6);
}

TEST(TopK, PrefersTheLowerClassOfEqualScores) {
  EXPECT_EQ(score(*topk(1), {{1, 1, 1}, {1, 1, 1}}, scalars({0, 1})), 0.5);
  EXPECT_EQ(score(*topk(2), {{1, 1, 1}, {1, 1, 1}}, scalars({1, 2})), 0.5);
}

TEST(TopK, NeverCountsARowWithNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(score(*topk(1), {{nan, 1}, {2, nan}, {nan, nan}, {0, 1}}, scalars({0, 0, 1, 1})), 0.25);
}

TEST(TopK, AcceptsInfiniteScores) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(score(*topk(1), {{infinity, 1}, {-infinity, 1}}, scalars({0, 1})), 1.0);
}

TEST(TopK, DropsTrailingDimensionsOfOne) {
  const auto counted = topk(1);
  counted->update({matrix({{1, 3}, {4, 3}}).reshaped({2, 2, 1, 1})}, scalars({1, 0}));
  EXPECT_EQ(counted->result(), 1.0);
}

TEST(TopK, AcceptsLabelsOfOneElementAndAnyNumberType) {
  EXPECT_EQ(
      score(*topk(1), {{1, 3}, {1, 3}}, {Tensor::from<std::int32_t>({1}, {1}), Tensor::from<float>({1, 1}, {1.0f})}),
      1.0);
}

TEST(TopK, ReadsHalfAndDoublePrecision) {
  for (const ElementType type : {ElementType::F16, ElementType::BF16, ElementType::F64}) {
    const auto counted = topk(1);
    counted->update({matrix({{1, 3}, {4, 3}}).converted(type)}, scalars({1, 0}));
    EXPECT_EQ(counted->result(), 1.0) << to_string(type);
  }
}

TEST(TopK, NamesTheSampleAndTheLabelOutOfRange) {
  EXPECT_THAT(data_error_of([] {
                topk(1)->update({matrix({{1, 2}, {1, 2}})}, scalars({0, 2}));
              }),
              AllOf(HasSubstr("[topk] label 2 of sample 1 of the batch"), HasSubstr("0..1 for 2 classes"),
                    HasSubstr("LabelShift")));
  EXPECT_THAT(data_error_of([] {
                topk(1)->update({matrix({{1, 2}})}, scalars({-1}));
              }),
              HasSubstr("label -1 of sample 0"));
}

TEST(TopK, IgnoresARejectedBatch) {
  const auto counted = topk(1);
  EXPECT_THROW(counted->update({matrix({{1, 2}, {1, 2}})}, scalars({1, 2})), DataError);
  EXPECT_THROW(counted->result(), DataError);
}

TEST(TopK, RejectsLabelsThatAreNotClasses) {
  const Tensor half = Tensor::scalar(0.5f), pair(ElementType::I64, {2});
  EXPECT_THAT(data_error_of([&] {
                topk(1)->update({matrix({{1, 2}})}, {half});
              }),
              HasSubstr("is 0.5, expected a whole number"));
  EXPECT_THAT(data_error_of([&] { topk(1)->update({matrix({{1, 2}})}, {pair}); }), HasSubstr("is i64 [2]"));
  EXPECT_THAT(data_error_of([&] { topk(1)->update({matrix({{1, 2}})}, {Tensor()}); }), HasSubstr("has no label"));
}

TEST(TopK, RejectsOutputsThatAreNotRowsOfScores) {
  EXPECT_THAT(data_error_of([] { topk(1)->update({}, {}); }), HasSubstr("no output"));
  EXPECT_THAT(data_error_of([] { topk(1)->update({matrix({{1, 2}})}, scalars({0, 1})); }), HasSubstr("f32 [1,2]"));
  EXPECT_THAT(data_error_of([] {
                topk(1)->update({Tensor(ElementType::F32, {1, 2, 3})}, scalars({0}));
              }),
              HasSubstr("[1,2,3]"));
  EXPECT_THAT(data_error_of([] { topk(5)->update({matrix({{1, 2}})}, scalars({0})); }), HasSubstr("only 2 classes"));
}

TEST(TopK, NeedsAPositiveKAndMergesOnlyTheSameK) {
  EXPECT_THROW(topk(0), ConfigError);
  EXPECT_THROW(topk(1)->merge(*topk(5)), Error);
}

}  // namespace
}  // namespace lpot
