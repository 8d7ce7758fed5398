#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Row = std::vector<float>;

// Boxes side by side, each a quarter of the image high and wide: `slot` 0..3.
Row slot(int slot) { return {0, static_cast<float>(slot) / 4, 0.25f, static_cast<float>(slot + 1) / 4}; }

Row truth(Row box, float object_class = 1, float flag = 0) {
  box.insert(box.end(), {object_class, flag, 100});
  return box;
}

Tensor label(const std::vector<Row>& truths) {
  return truths.empty() ? Tensor(ElementType::F32, {0, 7}) : matrix(truths);
}

std::vector<Tensor> found(const std::vector<Row>& boxes, const Row& scores, const Row& classes) {
  return {matrix(boxes).reshaped({1, boxes.size(), 4}), matrix({scores}), matrix({classes})};
}

double precision(const std::string& name, std::int64_t points, const std::vector<Tensor>& outputs,
                 const std::vector<Row>& truths) {
  const auto counted = detection(name, "0.5", points);
  counted->update(outputs, {label(truths)});
  return counted->result();
}

const auto kRightWrongRight = [] { return found({slot(0), slot(1), slot(2)}, {0.9f, 0.8f, 0.7f}, {1, 1, 1}); };
const std::vector<Row> kTwo{truth(slot(0)), truth(slot(2))};

TEST(MeanAveragePrecision, ReadsThePrecisionAtRecallsOrTheAreaUnderTheCurve) {
  EXPECT_DOUBLE_EQ(precision("mAP", 0, kRightWrongRight(), kTwo), 0.5 * 1 + 0.5 * 2 / 3);
  EXPECT_DOUBLE_EQ(precision("mAP", 11, kRightWrongRight(), kTwo), (6 + 5 * 2.0 / 3) / 11);
  EXPECT_NEAR(precision("mAP", 101, kRightWrongRight(), kTwo), (51 + 50 * 2.0 / 3) / 101, 1e-12);
}

TEST(MeanAveragePrecision, AveragesOverTheExistingClasses) {
  const std::vector<Row> truths{truth(slot(0), 1), truth(slot(1), 2)};
  EXPECT_DOUBLE_EQ(precision("mAP", 0, found({slot(0), slot(3)}, {0.9f, 0.8f}, {1, 7}), truths), 0.5);
}

TEST(MeanAveragePrecision, CountsAnObjectOnce) {
  EXPECT_DOUBLE_EQ(precision("mAP", 0, found({slot(0), slot(0), slot(1)}, {0.9f, 0.8f, 0.7f}, {1, 1, 1}),
                             {truth(slot(0)), truth(slot(1))}),
                   0.5 + 0.5 * 2 / 3);
}

TEST(MeanAveragePrecision, AveragesOverThresholds) {
  // Overlap 0.75: right at 0.5 .. 0.75, six of ten thresholds.
  const auto counted = detection("COCOmAP", "0.5:0.05:0.95", 101);
  counted->update(found({{0, 0, 0.75f, 1}}, {0.9f}, {1}), {label({truth({0, 0, 1, 1})})});
  EXPECT_DOUBLE_EQ(counted->result(), 0.6);
}

TEST(MeanAveragePrecision, IgnoresFlaggedObjects) {
  const std::vector<Row> truths{truth(slot(0)), truth(slot(1), 1, 1)};
  const auto outputs = found({slot(1), slot(1), slot(0)}, {0.9f, 0.8f, 0.7f}, {1, 1, 1});
  EXPECT_DOUBLE_EQ(precision("COCOmAP", 101, outputs, truths), 1);
  EXPECT_DOUBLE_EQ(precision("VOCmAP", 0, outputs, truths), 1);
}

TEST(MeanAveragePrecision, TreatsAFlaggedObjectAsACrowdOnlyInCoco) {
  // A small box inside a large flagged one: all of it lies in the crowd, but it is a poor match for a difficult object.
  const std::vector<Row> truths{truth({0.5f, 0, 1, 1}, 1, 1), truth(slot(0))};
  const auto outputs = found({{0.5f, 0, 0.6f, 0.1f}, slot(0)}, {0.9f, 0.8f}, {1, 1});
  EXPECT_DOUBLE_EQ(precision("COCOmAP", 0, outputs, truths), 1);
  EXPECT_DOUBLE_EQ(precision("VOCmAP", 0, outputs, truths), 0.5);
}

TEST(MeanAveragePrecision, AcceptsTheNumberOfDetectionsBeforeOrAfter) {
  auto outputs = kRightWrongRight();
  outputs.insert(outputs.begin(), Tensor::from<float>({1}, {1}));
  EXPECT_DOUBLE_EQ(precision("mAP", 0, outputs, kTwo), 0.5);
  std::rotate(outputs.begin(), outputs.begin() + 1, outputs.end());
  EXPECT_DOUBLE_EQ(precision("mAP", 0, outputs, kTwo), 0.5);
}

TEST(MeanAveragePrecision, IdentifiesClassesByTheirIntegerType) {
  auto outputs = kRightWrongRight();
  outputs[2] = outputs[2].converted(ElementType::I64);
  std::swap(outputs[1], outputs[2]);
  EXPECT_DOUBLE_EQ(precision("mAP", 11, outputs, kTwo), (6 + 5 * 2.0 / 3) / 11);
}

TEST(MeanAveragePrecision, CountsDetectionsInImagesWithoutObjectsAsWrong) {
  const auto counted = detection("mAP", "0.5", 0);
  counted->update(found({slot(0)}, {0.5f}, {1}), {label({truth(slot(0))})});
  counted->update(found({slot(0)}, {0.9f}, {1}), {label({})});
  EXPECT_DOUBLE_EQ(counted->result(), 0.5);
}

TEST(MeanAveragePrecision, RejectsOutputsThatAreNotDetections) {
  const auto error_of = [](std::vector<Tensor> outputs, const Tensor& truths = label({truth(slot(0))})) {
    return data_error_of([&] { detection("mAP", "0.5", 0)->update(outputs, {truths}); });
  };
  const auto outputs = found({slot(0)}, {0.5f}, {1});
  EXPECT_THAT(error_of({outputs[0]}), AllOf(HasSubstr("f32 [1,1,4]"), HasSubstr("scores [count,found]")));
  EXPECT_THAT(error_of({outputs[1], outputs[1], outputs[2]}), HasSubstr("expected for 1 samples boxes"));
  EXPECT_THAT(error_of({outputs[0], outputs[2], outputs[1]}), HasSubstr("class 0.5, expected a whole number"));
  EXPECT_THAT(error_of({Tensor::from<float>({1}, {2}), outputs[0], outputs[1], outputs[2]}),
              HasSubstr("the output number is 2 for sample 0"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of(found({slot(0)}, {nan}, {1})), HasSubstr("is NaN"));
  EXPECT_THAT(error_of(found({{0, nan, 1, 1}}, {1}, {1})), HasSubstr("is NaN"));
}

TEST(MeanAveragePrecision, RejectsLabelsThatAreNotObjects) {
  const auto error_of = [](const Tensor& truths) {
    return data_error_of([&] { detection("mAP", "0.5", 0)->update(found({slot(0)}, {0.5f}, {1}), {truths}); });
  };
  EXPECT_THAT(error_of(Tensor()), HasSubstr("the label of sample 0 of the batch is missing"));
  EXPECT_THAT(error_of(matrix({{1, 2}})), HasSubstr("f32 [1,2], expected [objects,7]"));
  EXPECT_THAT(error_of(label({truth({0, 0, 200, 100})})), HasSubstr("coordinate 200, expected 0..1"));
  EXPECT_THAT(error_of(label({truth({0.5f, 0, 0.25f, 1})})), HasSubstr("expected y_min, x_min, y_max, x_max"));
  EXPECT_THAT(error_of(label({truth(slot(0), -1)})), HasSubstr("class -1"));
}

TEST(MeanAveragePrecision, RejectsLabelsWithoutObjects) {
  const auto counted = detection("mAP", "0.5", 0);
  counted->update(found({slot(0)}, {0.5f}, {1}), {label({})});
  EXPECT_THAT(data_error_of([&] { counted->result(); }), HasSubstr("no unflagged object"));
}

TEST(MeanAveragePrecision, ReadsThresholdsInTheFormatOfLpot) {
  for (const char* text : {"0.5", "0.5:0.05:0.95", " 0.5 : 0.05 : 0.95", "1"}) detection("mAP", text, 0);
  for (const char* text :
       {"", "abc", "0.5:0.95", "2", "0.5:0:0.95", "0.9:0.1:0.5", "0.5:0.2:0.95", "0:0.0001:1", "nan"})
    EXPECT_THROW(detection("mAP", text, 0), ConfigError) << text;
  EXPECT_THROW(detection("mAP", "0.5", 10), ConfigError);
}

TEST(MeanAveragePrecision, NamesAMissingAnnotationFile) {
  const std::map<std::string, Value> values{
      {"iou_thrs", std::string("0.5")}, {"map_points", std::int64_t{0}}, {"anno_path", std::string("/no/map.yaml")}};
  try {
    metric("VOCmAP", values);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("anno_path: '/no/map.yaml'"));
  }
}

}  // namespace
}  // namespace lpot
