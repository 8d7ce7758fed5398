#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

Tensor floats(Shape shape, const std::vector<float>& values) { return Tensor::from<float>(std::move(shape), values); }

double fed(Metric& metric, const Tensor& outputs, const Tensor& of_fp32) {
  metric.update({outputs}, {of_fp32});
  return metric.result();
}

double agreement_of_zeros(const Shape& sample, const std::string& class_axis = "auto") {
  Shape batch = sample;
  batch.insert(batch.begin(), 1);
  return fed(*pixel_agreement(class_axis), Tensor(ElementType::F32, batch), Tensor(ElementType::F32, sample));
}

TEST(PixelAgreement, IsTheMeanOverSamplesOfEqualPixels) {
  const auto metric = pixel_agreement("first");
  // Classes per pixel: int8 1 0 0, fp32 1 1 0; then int8 0 0 0, fp32 0 0 0.
  metric->update({floats({2, 2, 3}, {0, 5, 5, 9, 1, 1, 5, 5, 5, 0, 0, 0})},
                 {floats({2, 3}, {0, 1, 5, 9, 2, 1}), floats({2, 3}, {1, 1, 1, 0, 0, 0})});
  EXPECT_DOUBLE_EQ(metric->result(), (2.0 / 3 + 1) / 2);
}

TEST(PixelAgreement, FindsTheClassAxisFirstOrLast) {
  const std::vector<float> first{9, 9, 0, 0, 0, 0, /* class 1 */ 0, 0, 9, 9, 9, 9};
  const std::vector<float> last{9, 0, 9, 0, 0, 9, 0, 9, 0, 9, 0, 9};
  EXPECT_EQ(fed(*pixel_agreement("first"), floats({1, 2, 2, 3}, first), floats({2, 2, 3}, first)), 1);
  const Tensor classes = pixel_agreement("first")->baseline_label({floats({1, 2, 2, 3}, first)}, 0);
  EXPECT_EQ(classes.shape(), (Shape{2, 3}));
  EXPECT_EQ(fed(*pixel_agreement("last"), floats({1, 2, 3, 2}, last), classes), 1) << "the same map in another layout";
}

TEST(PixelAgreement, DetectsTheClassAxis) {
  const auto points = [](const Shape& batch) {
    return pixel_agreement()->baseline_label({Tensor(ElementType::F32, batch)}, 0).shape();
  };
  EXPECT_EQ(points({1, 150, 128, 128}), (Shape{128, 128})) << "the others are equal";
  EXPECT_EQ(points({1, 128, 128, 150}), (Shape{128, 128}));
  EXPECT_EQ(points({1, 21, 480, 640}), (Shape{480, 640})) << "much smaller";
  EXPECT_EQ(points({1, 480, 640, 21}), (Shape{480, 640}));
  EXPECT_EQ(points({1, 1, 3, 4}), (Shape{3, 4}));
  EXPECT_EQ(points({1, 3, 4, 1}), (Shape{3, 4}));
  EXPECT_EQ(points({1, 4, 16, 16, 8}), (Shape{16, 16, 8})) << "a volume";
}

TEST(PixelAgreement, RejectsShapesThatDoNotShowTheClassAxis) {
  EXPECT_THAT(data_error_of([] {
                agreement_of_zeros({150, 100, 128});
              }),
              AllOf(HasSubstr("[150,100,128] for each sample"), HasSubstr("set class_axis to first, last or none")));
  EXPECT_THAT(data_error_of([] { agreement_of_zeros({26, 40}); }), HasSubstr("set class_axis"));
  EXPECT_THAT(data_error_of([] { agreement_of_zeros({64, 64, 64}); }), HasSubstr("set class_axis"));
  EXPECT_THAT(data_error_of([] { agreement_of_zeros({10}, "first"); }), HasSubstr("expected a map"));
  EXPECT_EQ(agreement_of_zeros({26, 40}, "last"), 1);
  EXPECT_EQ(agreement_of_zeros({26, 40}, "none"), 1);
}

TEST(PixelAgreement, DividesOneScorePerPixelByTheThreshold) {
  const Tensor scores = floats({1, 1, 2, 2}, {0.2f, 0.4f, 0.6f, 0.8f}),
               of_fp32 = floats({1, 2, 2}, {0.2f, 0.6f, 0.4f, 1});
  EXPECT_EQ(fed(*pixel_agreement(), scores, of_fp32), 0.5);
  EXPECT_EQ(fed(*pixel_agreement("auto", 0.7), scores, of_fp32), 1);
  EXPECT_EQ(fed(*pixel_agreement("none", 0.3), scores.reshaped({1, 4}), of_fp32.reshaped({4})), 1);
}

TEST(PixelAgreement, ComparesClassMaps) {
  EXPECT_EQ(fed(*pixel_agreement(), Tensor::from<std::int64_t>({1, 2, 2}, {0, 1, 2, 40000}),
                Tensor::from<std::int64_t>({2, 2}, {0, 1, 1, 40000})),
            0.75);
  EXPECT_EQ(fed(*pixel_agreement(), floats({1, 2, 2}, {0, 1, 2, 3}), floats({2, 2}, {0, 1, 1, 3})), 0.75)
      << "classes as floats";
}

TEST(PixelAgreement, SupportsMoreClassesThanShortIntegers) {
  Tensor scores(ElementType::F32, {1, 2, 40000});
  scores.data<float>()[39999] = 1;
  const auto metric = pixel_agreement("last");
  const Tensor classes = metric->baseline_label({scores}, 0);
  EXPECT_EQ(classes.value_at(0), 39999);
  EXPECT_EQ(classes.value_at(1), 0);
}

TEST(PixelAgreement, NeverAgreesOnNan) {
  EXPECT_EQ(
      fed(*pixel_agreement("first"), floats({1, 2, 2}, {kNotANumber, 0, 1, 1}), floats({2, 2}, {kNotANumber, 0, 1, 1})),
      0.5);
  EXPECT_EQ(fed(*pixel_agreement("none"), floats({1, 2}, {kNotANumber, 1}), floats({2}, {kNotANumber, 1})), 0.5);
}

TEST(PixelAgreement, RejectsABaselineOfAnotherSize) {
  EXPECT_THAT(data_error_of([] {
                fed(*pixel_agreement("first"), floats({1, 2, 2}, {1, 2, 3, 4}), Tensor());
              }),
              HasSubstr("fp32 output for sample 0 of the batch is missing"));
  EXPECT_THAT(data_error_of([] {
                fed(*pixel_agreement("first"), floats({1, 2, 1, 2}, {1, 2, 3, 4}), floats({2, 1, 1}, {1, 2}));
              }),
              HasSubstr("has the points [1,1], expected [1,2]"));
}

// Texts are padded to the longest one of their batch, so a sample may have another number of steps in another batch.
TEST(PixelAgreement, ComparesTheCommonStepsOfASequence) {
  const Tensor three = floats({1, 3, 2}, {0, 1, 1, 0, 0, 1}), two = floats({1, 2, 2}, {0, 1, 0, 1});
  EXPECT_EQ(fed(*pixel_agreement("last"), three, pixel_agreement("last")->baseline_label({two}, 0)), 0.5);
  EXPECT_EQ(fed(*pixel_agreement("last"), two, pixel_agreement("last")->baseline_label({three}, 0)), 0.5);
  EXPECT_EQ(fed(*pixel_agreement("last"), two, three.slice(0)), 0.5) << "the outputs of the fp32 model";
}

TEST(PixelAgreement, ChecksItsParameters) {
  EXPECT_THROW(pixel_agreement("middle"), ConfigError);
  EXPECT_THROW(pixel_agreement("auto", kNotANumber), ConfigError);
}

TEST(MeanIouWithFp32, NeedsAnAxisOfTheClasses) {
  const auto with_fp32 = [](std::int64_t classes) {
    return metric("mIOU", {{"num_classes", classes}, {"compare_label", false}});
  };
  EXPECT_TRUE(with_fp32(3)->labels_are_baseline());
  EXPECT_THAT(
      data_error_of([&] {
        with_fp32(21)->baseline_label({Tensor(ElementType::F32, {1, 19, 2, 3})}, 0);
      }),
      AllOf(HasSubstr("[19,2,3]"), HasSubstr("an axis of 21 classes"), HasSubstr("num_classes: 2 and threshold")));
  EXPECT_THAT(data_error_of([&] {
                with_fp32(4)->baseline_label({Tensor(ElementType::F32, {1, 4, 3, 4})}, 0);
              }),
              HasSubstr("its first and its last axis may be the 4 classes"));
  EXPECT_EQ(with_fp32(4)->baseline_label({Tensor(ElementType::F32, {1, 4, 3, 5})}, 0).shape(), (Shape{3, 5}));
}

TEST(MeanIou, DividesOneScorePerPixelByTheThreshold) {
  const auto metric_of = [](std::int64_t classes) {
    return metric("mIOU", {{"num_classes", classes}, {"compare_label", true}, {"threshold", 0.5}});
  };
  const auto metric = metric_of(2);
  EXPECT_DOUBLE_EQ(
      fed(*metric, floats({1, 1, 2, 2}, {0.1f, 0.9f, 0.8f, 0.2f}), Tensor::from<std::int64_t>({2, 2}, {0, 1, 0, 0})),
      (2.0 / 3 + 1.0 / 2) / 2);
  EXPECT_THROW(metric_of(3), ConfigError);
}

}  // namespace
}  // namespace lpot
