#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Row = std::vector<float>;

// Boxes side by side: `slot` 0..3, moved to the right by a share of the width.
Row slot(int slot, float shift = 0) {
  const float left = (static_cast<float>(slot) + shift) / 4;
  return {0, left, 1, left + 0.25f};
}

std::vector<Tensor> found(const std::vector<Row>& boxes, const Row& scores, const Row& classes) {
  const auto rows = [&](const Row& values) { return Tensor::from<float>({1, values.size()}, values); };
  return {Tensor(matrix(boxes)).reshaped({1, boxes.size(), 4}), rows(scores), rows(classes)};
}

const std::vector<Tensor> kNone{Tensor(ElementType::F32, {1, 2, 4}), Tensor(ElementType::F32, {1, 2}),
                                Tensor(ElementType::F32, {1, 2}), Tensor(ElementType::F32, {1})};

void add(Metric& metric, const std::vector<Tensor>& fp32, const std::vector<Tensor>& other) {
  metric.update(other, {metric.baseline_label(fp32, 0)});
}

TEST(BoxAgreement, IsOneForTheModelItself) {
  const auto boxes = found({slot(0), slot(1), slot(1, 0.1f), slot(3)}, {0.9f, 0.9f, 0.5f, 0.1f}, {0, 1, 1, 0});
  const auto metric = box_agreement(0.25, "0.5:0.05:0.95");
  add(*metric, boxes, boxes);
  EXPECT_EQ(metric->result(), 1.0);
  metric->check_baseline();
}

TEST(BoxAgreement, FallsWithMissingMovedAndWrongBoxes) {
  const auto fp32 = found({slot(0), slot(2)}, {0.9f, 0.8f}, {1, 1});
  const auto agreement = [&](const std::vector<Tensor>& other, const std::string& thresholds = "0.5") {
    const auto metric = box_agreement(0.25, thresholds);
    add(*metric, fp32, other);
    return metric->result();
  };
  EXPECT_DOUBLE_EQ(agreement(found({slot(0)}, {0.9f}, {1})), 0.5) << "one of two is missing";
  EXPECT_DOUBLE_EQ(agreement(found({slot(0), slot(2)}, {0.9f, 0.8f}, {1, 0})), 0.5) << "one has another class";
  EXPECT_DOUBLE_EQ(agreement(found({slot(3), slot(0), slot(2)}, {0.95f, 0.9f, 0.8f}, {1, 1, 1})), 2.0 / 3)
      << "an additional box comes first";
  // A shift by a ninth of the width: an overlap of 0.8.
  const auto moved = found({slot(0, 1.0f / 9), slot(2)}, {0.9f, 0.8f}, {1, 1});
  EXPECT_DOUBLE_EQ(agreement(moved), 1);
  EXPECT_LT(agreement(moved, "0.9"), 0.5);
}

TEST(BoxAgreement, TakesOnlyCertainBoxesOfFp32AsObjects) {
  const auto fp32 = found({slot(0), slot(2)}, {0.9f, 0.2f}, {1, 1});
  for (const double threshold : {0.25, 0.1}) {
    const auto metric = box_agreement(threshold);
    add(*metric, fp32, found({slot(0)}, {0.9f}, {1}));
    EXPECT_DOUBLE_EQ(metric->result(), threshold == 0.25 ? 1 : 0.5);
  }
}

TEST(BoxAgreement, CountsBoxesInImagesWithoutObjects) {
  const auto fp32 = found({slot(0)}, {0.9f}, {1});
  const auto metric = box_agreement(0.25);
  add(*metric, fp32, fp32);
  add(*metric, kNone, kNone);
  EXPECT_EQ(metric->result(), 1.0);
  add(*metric, kNone, found({slot(1)}, {0.95f}, {1}));
  EXPECT_EQ(metric->result(), 0.5) << "the wrong box of the last image ranks first";
}

TEST(BoxAgreement, JudgesAPartWithoutAnyObject) {
  const auto metric = box_agreement(0.25);
  add(*metric, kNone, kNone);
  EXPECT_EQ(metric->result(), 1.0);
  add(*metric, kNone, found({slot(1)}, {0.95f}, {1}));
  EXPECT_EQ(metric->result(), 0.5);
}

TEST(BoxAgreement, NeedsABoxOfTheFp32Model) {
  const auto metric = box_agreement(0.25);
  add(*metric, kNone, kNone);
  EXPECT_THAT(data_error_of([&] { metric->check_baseline(); }),
              AllOf(HasSubstr("no box with a score of 0.25 or more in 1 images"), HasSubstr("preprocessing")));
}

TEST(BoxAgreement, RefusesOutputsThatAreNoBoxes) {
  EXPECT_THAT(data_error_of([] {
                add(*box_agreement(0.25), {matrix({{1, 2}})}, {matrix({{1, 2}})});
              }),
              AllOf(HasSubstr("scores of classes"), HasSubstr("Agreement")));
  const std::vector<Tensor> head{Tensor(ElementType::F32, {1, 22, 2100})};
  EXPECT_THAT(data_error_of([&] { box_agreement(0.25)->baseline_label(head, 0); }),
              HasSubstr("Add the postprocess Boxes"));
  EXPECT_THAT(data_error_of([] {
                box_agreement(0.25)->update(kNone, {matrix({{1, 2}})});
              }),
              HasSubstr("expected [boxes,6]"));
}

}  // namespace
}  // namespace lpot
