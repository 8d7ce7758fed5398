#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tensor points(Shape shape, const std::vector<std::int64_t>& values) {
  return Tensor::from<std::int64_t>(std::move(shape), values);
}

double of_classes(Metric& metric, const std::vector<std::int64_t>& given, const std::vector<std::int64_t>& expected) {
  metric.update({points({1, given.size()}, given)}, {points({expected.size()}, expected)});
  return metric.result();
}

TEST(MeanIou, AveragesSharedPointsOverAllPointsOfEachClass) {
  // Class 0: 1 of 2; class 1: 2 of 4; class 2: 0 of 1.
  EXPECT_DOUBLE_EQ(of_classes(*miou(3), {0, 0, 1, 1, 2}, {0, 1, 1, 1, 1}), (1.0 / 2 + 2.0 / 4 + 0) / 3);
}

TEST(MeanIou, IgnoresPointsWithoutAClassAndUnusedClasses) {
  EXPECT_DOUBLE_EQ(of_classes(*miou(21), {0, 1, 1, 2}, {0, 1, 255, -1}), 1);
}

TEST(MeanIou, FindsTheClassAxisFirstOrLast) {
  const std::vector<float> first{9, 9, 0, 0, 0, 0, /* class 1 */ 0, 0, 9, 9, 9, 9};
  const std::vector<float> last{9, 0, 9, 0, 0, 9, 0, 9, 0, 9, 0, 9};
  const Tensor label = points({2, 3}, {0, 0, 1, 1, 1, 0});
  const double expected = (2.0 / 3 + 3.0 / 4) / 2;
  const auto counted = miou(2), counted_last = miou(2);
  counted->update({Tensor::from<float>({1, 2, 2, 3}, first)}, {label});
  EXPECT_DOUBLE_EQ(counted->result(), expected);
  counted_last->update({Tensor::from<float>({1, 2, 3, 2}, last)}, {label.reshaped({2, 3, 1})});
  EXPECT_DOUBLE_EQ(counted_last->result(), expected);
}

TEST(MeanIou, RejectsAClassCountThatDoesNotMatchTheOutput) {
  EXPECT_THAT(data_error_of([] {
                miou(21)->update({Tensor(ElementType::F32, {1, 19, 2, 3})}, {points({2, 3}, {0, 0, 1, 1, 1, 0})});
              }),
              AllOf(HasSubstr("[19,2,3]"), HasSubstr("21 classes (num_classes)")));
  EXPECT_THAT(data_error_of([] { of_classes(*miou(2), {0, 2}, {0, 1}); }), HasSubstr("contains 2 for sample 0"));
  EXPECT_THROW(miou(0), ConfigError);
}

TEST(MeanIou, RejectsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(data_error_of([&] {
                miou(2)->update({Tensor::from<float>({1, 2, 1}, {1, nan})}, {points({1}, {0})});
              }),
              HasSubstr("NaN for sample 0"));
  EXPECT_THAT(data_error_of([&] {
                miou(2)->update({points({1, 1}, {0})}, {Tensor::from<float>({1}, {0.5f})});
              }),
              HasSubstr("contains 0.5, expected whole numbers"));
}

TEST(MeanIou, RejectsLabelsWithoutAnyClass) {
  EXPECT_THAT(data_error_of([] { of_classes(*miou(2), {0}, {255}); }), HasSubstr("no label in 0..1"));
}

}  // namespace
}  // namespace lpot
