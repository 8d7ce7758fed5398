#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "lpot/config/load.h"
#include "lpot/core/error.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/metrics/metric.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Shape kImage{1, 3, 64, 64};  // 84 cells: 64, 16, 4

std::shared_ptr<const Postprocess> boxes(const std::string& parameters = "{}") {
  return make_postprocesses({parse_component("Boxes: " + parameters, postprocesses())}).front();
}

BatchResult apply(const std::vector<Tensor>& outputs, const std::string& parameters = "{}",
                  const std::vector<Shape>& inputs = {kImage}) {
  return boxes(parameters)->apply({outputs, {Tensor()}, inputs});
}

std::string error_of(const std::vector<Tensor>& outputs, const std::string& parameters,
                     const std::vector<Shape>& inputs = {kImage}) {
  try {
    apply(outputs, parameters, inputs);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

// Objects of a test image: a box y_min, x_min, y_max, x_max in pixels, its class and its score.
struct Object {
  float y_min, x_min, y_max, x_max;
  std::size_t object_class;
  float score;
};
const std::vector<Object> kObjects{{8, 16, 24, 48, 2, 0.9f}, {32, 32, 64, 64, 0, 0.5f}};

// The two objects as relative boxes in the order of their scores.
void expect_objects(const BatchResult& found, float tolerance = 1e-6f) {
  ASSERT_EQ(found.outputs.size(), 4u);
  ASSERT_EQ(found.outputs[3].value_at(0), 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Object& object = kObjects[i];
    const float* box = found.outputs[0].data<float>() + i * 4;
    EXPECT_NEAR(box[0], object.y_min / 64, tolerance);
    EXPECT_NEAR(box[1], object.x_min / 64, tolerance);
    EXPECT_NEAR(box[2], object.y_max / 64, tolerance);
    EXPECT_NEAR(box[3], object.x_max / 64, tolerance);
    EXPECT_NEAR(found.outputs[1].value_at(i), object.score, 1e-6);
    EXPECT_EQ(found.outputs[2].value_at(i), static_cast<double>(object.object_class));
  }
}

// Rows of anchors with centers and sizes in pixels; anchor 5 + 10 k has object k. Others lie somewhere in the image.
Tensor grid(std::size_t anchors, bool objectness, std::size_t classes = 3) {
  const std::size_t first = objectness ? 5 : 4, columns = first + classes;
  Tensor values(ElementType::F32, {1, anchors, columns});
  for (std::size_t i = 0; i < anchors; ++i)
    for (std::size_t k = 0; k < 4; ++k) values.data<float>()[i * columns + k] = 32;
  for (std::size_t i = 0; i < kObjects.size(); ++i) {
    const Object& object = kObjects[i];
    float* row = values.data<float>() + (5 + 10 * i) * columns;
    row[0] = (object.x_min + object.x_max) / 2;
    row[1] = (object.y_min + object.y_max) / 2;
    row[2] = object.x_max - object.x_min;
    row[3] = object.y_max - object.y_min;
    if (objectness) row[4] = 1;
    row[first + object.object_class] = object.score;
  }
  return values;
}

Tensor transposed(const Tensor& values) {
  const std::size_t rows = values.shape()[1], columns = values.shape()[2];
  Tensor result(ElementType::F32, {1, columns, rows});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k)
      result.data<float>()[k * rows + i] = values.data<float>()[i * columns + k];
  return result;
}

TEST(Boxes, ReadsYoloHeads) {
  expect_objects(apply({transposed(grid(84, false))}));
  expect_objects(apply({grid(84, false)}, "{head: yolov8}"));
  expect_objects(apply({grid(252, true)}));
  expect_objects(apply({grid(84, true)}));
}

TEST(Boxes, NamesTheDetectedHead) {
  const auto description = [](const Tensor& output) { return boxes()->description({{output}, {Tensor()}, {kImage}}); };
  EXPECT_THAT(description(transposed(grid(84, false))), AllOf(HasSubstr("f32 [1,7,84]"), HasSubstr("yolov8")));
  EXPECT_THAT(description(grid(252, true)), HasSubstr("yolov5"));
  EXPECT_THAT(description(grid(84, true)), HasSubstr("yolox"));
}

// RT-DETR: the rows are no cells of a grid, and their classes follow the coordinates.
TEST(Boxes, ReadsQueriesWithoutObjectness) {
  expect_objects(apply({grid(100, false)}));
  for (const std::size_t cells : {84, 85, 252, 255, 60})  // of the usual strides with one or three anchors
    expect_objects(apply({grid(cells, true)}));
}

TEST(Boxes, DecodesTheGridOfYoloX) {
  Tensor raw(ElementType::F32, {1, 84, 8});
  const auto encode = [&](std::size_t row, const Object& object, float x, float y, float stride) {
    float* values = raw.data<float>() + row * 8;
    values[0] = (object.x_min + object.x_max) / 2 / stride - x;
    values[1] = (object.y_min + object.y_max) / 2 / stride - y;
    values[2] = std::log((object.x_max - object.x_min) / stride);
    values[3] = std::log((object.y_max - object.y_min) / stride);
    values[4] = 1;
    values[5 + object.object_class] = object.score;
  };
  encode(2 * 8 + 3, kObjects[0], 3, 2, 8);        // the first grid has 8 x 8 cells
  encode(64 + 3 * 4 + 2, kObjects[1], 2, 3, 16);  // the second one 4 x 4
  expect_objects(apply({raw}), 1e-5f);
}

TEST(Boxes, ReadsCornersAndScoresOfSsd) {
  Tensor corners(ElementType::F32, {1, 20, 4}), scores(ElementType::F32, {1, 20, 3});
  for (std::size_t i = 0; i < 2; ++i) {
    const Object& object = kObjects[i];
    const float sides[] = {object.x_min / 64, object.y_min / 64, object.x_max / 64, object.y_max / 64};
    std::copy_n(sides, 4, corners.data<float>() + (4 + i) * 4);
    scores.data<float>()[(4 + i) * 3 + object.object_class] = object.score;
  }
  expect_objects(apply({corners, scores}));
  expect_objects(apply({scores, corners}));
}

TEST(Boxes, LeavesOutTheBackgroundOfASoftmax) {
  Tensor corners(ElementType::F32, {1, 20, 4}), scores(ElementType::F32, {1, 20, 4});
  for (std::size_t i = 0; i < 20; ++i) scores.data<float>()[i * 4] = 1;
  for (std::size_t i = 0; i < 2; ++i) {
    const Object& object = kObjects[i];
    const float sides[] = {object.x_min / 64, object.y_min / 64, object.x_max / 64, object.y_max / 64};
    std::copy_n(sides, 4, corners.data<float>() + (4 + i) * 4);
    scores.data<float>()[(4 + i) * 4] = 1 - object.score;
    scores.data<float>()[(4 + i) * 4 + 1 + object.object_class] = object.score;
  }
  expect_objects(apply({corners, scores}));
  EXPECT_EQ(apply({corners, scores}, "{background: none, score_threshold: 0.2}").outputs[2].value_at(0), 0)
      << "the background is the best class of the empty boxes";
}

// DETR: center and size, logits, and the last class is no object.
TEST(Boxes, FindsTheBackgroundAtTheEnd) {
  Tensor boxes(ElementType::F32, {1, 20, 4}), logits(ElementType::F32, {1, 20, 4});
  for (std::size_t i = 0; i < 20; ++i) logits.data<float>()[i * 4 + 3] = 30;
  for (std::size_t i = 0; i < 2; ++i) {
    const Object& object = kObjects[i];
    const float sides[] = {(object.x_min + object.x_max) / 128, (object.y_min + object.y_max) / 128,
                           (object.x_max - object.x_min) / 64, (object.y_max - object.y_min) / 64};
    std::copy_n(sides, 4, boxes.data<float>() + (4 + i) * 4);
    float* row = logits.data<float>() + (4 + i) * 4;
    row[3] = 0;
    for (std::size_t k = 0; k < 3; ++k) row[k] = -30;
    row[object.object_class] = std::log(object.score / (1 - object.score));
  }
  expect_objects(apply({boxes, logits}, "{activation: softmax, box_format: xywh}"), 1e-5f);
}

TEST(Boxes, DecodesSsdOffsetsWithPriors) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "priors.npy";
  {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream stream(file, std::ios::binary);
    stream.write("\x93NUMPY\x01\x00\x76\x00", 10);
    stream << header;
    const float priors[] = {0.5f, 0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0.5f, 0.5f};
    stream.write(reinterpret_cast<const char*>(priors), sizeof priors);
  }
  // Object 0: center 0.5, 0.25, size 0.5, 0.25. Object 1: center 0.75, 0.75, size 0.5, 0.5.
  const Tensor offsets =
      Tensor::from<float>({1, 2, 4}, {0, 0, std::log(2.0f) / 0.2f, 0, 0.25f / 0.1f / 0.5f, 0.25f / 0.1f / 0.5f, 0, 0});
  const Tensor scores = Tensor::from<float>({1, 2, 3}, {0, 0, 0.9f, 0.5f, 0, 0});
  const std::string priors = "{priors: " + file.string() + "}";
  expect_objects(apply({offsets, scores}, priors), 1e-6f);
  EXPECT_THAT(error_of({Tensor(ElementType::F32, {1, 3, 4}), Tensor(ElementType::F32, {1, 3, 3})}, priors),
              HasSubstr("priors has 2 boxes; expected 3"));
}

TEST(Boxes, ReadsListsOfBoxesAfterNms) {
  Tensor end_to_end(ElementType::F32, {1, 300, 6});
  Tensor openvino(ElementType::F32, {1, 1, 10, 7});
  Tensor batched(ElementType::F32, {2, 7}), paddle(ElementType::F32, {2, 6});
  openvino.data<float>()[2 * 7] = -1;  // ends the list
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [y_min, x_min, y_max, x_max, object_class, score] = kObjects[i];
    const auto number = static_cast<float>(object_class);
    const auto put = [&](Tensor& to, std::vector<float> row) {
      std::copy(row.begin(), row.end(), to.data<float>() + i * row.size());
    };
    put(end_to_end, {x_min, y_min, x_max, y_max, score, number});
    put(openvino, {0, number, score, x_min / 64, y_min / 64, x_max / 64, y_max / 64});
    put(batched, {0, x_min, y_min, x_max, y_max, number, score});
    put(paddle, {number, score, x_min, y_min, x_max, y_max});
  }
  expect_objects(apply({end_to_end}));
  expect_objects(apply({openvino}));
  expect_objects(apply({batched}));
  expect_objects(apply({paddle, Tensor::from<std::int32_t>({1}, {2})}));
}

TEST(Boxes, ReadsDetectionsOfTensorFlow) {
  Tensor corners(ElementType::F32, {1, 10, 4}), scores(ElementType::F32, {1, 10}), classes(ElementType::F32, {1, 10});
  for (std::size_t i = 0; i < 2; ++i) {
    const Object& object = kObjects[i];
    const float sides[] = {object.y_min / 64, object.x_min / 64, object.y_max / 64, object.x_max / 64};
    std::copy_n(sides, 4, corners.data<float>() + i * 4);
    scores.data<float>()[i] = object.score;
    classes.data<float>()[i] = static_cast<float>(object.object_class);
  }
  const Tensor number = Tensor::from<float>({1}, {2});
  expect_objects(apply({corners, classes, scores, number}));  // TensorFlow Lite
  expect_objects(apply({corners, scores, classes, number}));
  expect_objects(apply({number, scores, corners, classes}));
}

TEST(Boxes, ReadsDetectionsOfTorchvisionAndMmdeploy) {
  Tensor corners(ElementType::F32, {2, 4}), scores(ElementType::F32, {2}), scored(ElementType::F32, {1, 2, 5});
  Tensor classes(ElementType::I64, {2});
  for (std::size_t i = 0; i < 2; ++i) {
    const Object& object = kObjects[i];
    const float row[] = {object.x_min, object.y_min, object.x_max, object.y_max, object.score};
    std::copy_n(row, 4, corners.data<float>() + i * 4);
    std::copy_n(row, 5, scored.data<float>() + i * 5);
    scores.data<float>()[i] = object.score;
    classes.data<std::int64_t>()[i] = static_cast<std::int64_t>(object.object_class);
  }
  expect_objects(apply({corners, classes, scores}));
  expect_objects(apply({scored, classes.reshaped({1, 2})}));
}

TEST(Boxes, AppliesNmsPerClassAndThresholds) {
  Tensor values = grid(252, true);
  // Anchor 30: almost the first object, with a lower score; anchor 40: the same with another class.
  std::copy_n(values.data<float>() + 5 * 8, 8, values.data<float>() + 30 * 8);
  values.data<float>()[30 * 8 + 7] = 0.8f;
  std::copy_n(values.data<float>() + 5 * 8, 4, values.data<float>() + 40 * 8);
  values.data<float>()[40 * 8 + 4] = 0.5f;
  values.data<float>()[40 * 8 + 6] = 0.4f;
  EXPECT_EQ(apply({values}).outputs[3].value_at(0), 3);
  EXPECT_NEAR(apply({values}).outputs[1].value_at(2), 0.2, 1e-6) << "objectness times score";
  EXPECT_EQ(apply({values}, "{score_threshold: 0.3}").outputs[3].value_at(0), 2);
  EXPECT_EQ(apply({values}, "{iou_threshold: 1}").outputs[3].value_at(0), 4);
  EXPECT_EQ(apply({values}, "{max_detections: 1}").outputs[3].value_at(0), 1);
}

TEST(Boxes, MapsClasses) {
  const BatchResult found = apply({grid(252, true)}, "{class_ids: [7, 8, 44]}");
  EXPECT_EQ(found.outputs[2].value_at(0), 44);
  EXPECT_EQ(found.outputs[2].value_at(1), 7);
  EXPECT_THAT(error_of({grid(252, true)}, "{class_ids: [7, 8]}"), HasSubstr("found class 2; expected 0..1"));
}

TEST(Boxes, AppliesSigmoidToLogits) {
  Tensor values = transposed(grid(84, false));
  for (std::size_t i = 4 * 84; i < values.size(); ++i) {
    float& score = values.data<float>()[i];
    score = score > 0 ? std::log(score / (1 - score)) : -20;
  }
  expect_objects(apply({values}, "{activation: sigmoid}"));
  EXPECT_THAT(error_of({values}, "{}"),
              AllOf(HasSubstr("expected 0..1"), HasSubstr("activation"), HasSubstr("ignored_columns")));
}

TEST(Boxes, ExplainsOutputsThatDoNotFit) {
  EXPECT_THAT(error_of({transposed(grid(84, false))}, "{classes: 80}"),
              AllOf(HasSubstr("[1,7,84] has scores of 3 classes"), HasSubstr("expected classes: 80")));
  EXPECT_THAT(error_of({Tensor(ElementType::F32, {1, 1000})}, "{}"), HasSubstr("expected the outputs of a detector"));
  EXPECT_THAT(error_of({Tensor(ElementType::F32, {1, 1000})}, "{head: ssd}"), HasSubstr("expected ssd"));
  EXPECT_THAT(error_of({transposed(grid(84, false))}, "{}", {{1, 100}}), HasSubstr("set image_size"));
  EXPECT_THAT(error_of({grid(84, true)}, "{head: yolo}"), HasSubstr("head"));
}

TEST(Boxes, IgnoresColumnsAfterTheScores) {
  expect_objects(apply({transposed(grid(84, false, 5))}, "{classes: 3, ignored_columns: 2}"));
}

// Labels of the data set, heads and metrics together.
TEST(Boxes, GivesTheMetricsOfDetectionsWhatTheyRead) {
  const BatchResult found = apply({transposed(grid(84, false))});
  Tensor label(ElementType::F32, {2, 7});
  for (std::size_t i = 0; i < 2; ++i) {
    const Object& object = kObjects[i];
    const float row[] = {object.y_min / 64,
                         object.x_min / 64,
                         object.y_max / 64,
                         object.x_max / 64,
                         static_cast<float>(object.object_class),
                         0,
                         100};
    std::copy_n(row, 7, label.data<float>() + i * 7);
  }
  for (const char* name : {"mAP: {}", "COCOmAP: {}", "VOCmAP: {}"}) {
    const auto metric = make_metric(parse_component(name, metrics()));
    metric->update(found.outputs, {label});
    EXPECT_DOUBLE_EQ(metric->result(), 1) << name;
  }
}

}  // namespace
}  // namespace lpot
