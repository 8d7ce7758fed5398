#include "lpot/tune/auto_config/box_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kImages = 2;

using Values = std::function<double(std::size_t row, std::size_t column)>;

Tensor rows(std::size_t count, std::size_t columns, const Values& value) {
  Tensor tensor(ElementType::F32, {kImages, count, columns});
  for (std::size_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = static_cast<float>(value(i / columns % count, i % columns));
  return tensor;
}

Tensor transposed(std::size_t count, std::size_t columns, const Values& value) {
  return rows(columns, count, [&](std::size_t column, std::size_t row) { return value(row, column); });
}

// Outputs for images of 64 x 64 pixels, which have 84 cells.
SampleOutputs outputs_of(std::vector<Tensor> outputs) {
  SampleOutputs samples;
  samples.shapes = shapes_of_outputs(outputs);
  samples.last_outputs = std::move(outputs);
  samples.last_inputs = {{kImages, 3, 64, 64}};
  samples.last_count = kImages;
  return samples;
}

double coefficient(std::size_t row, std::size_t column) {
  std::mt19937 random(static_cast<unsigned>(row * 7919 + column));
  return std::normal_distribution<double>()(random);
}

// Center and size in pixels, scores in `scores` columns, then values of any size.
Values head(std::size_t scores, std::size_t first_score = 4) {
  return [=](std::size_t row, std::size_t column) {
    if (column < 4) return 20.0 + static_cast<double>(column);
    return column < first_score + scores ? 0.5 : 5 * coefficient(row, column);
  };
}

TEST(BoxTrials, FindNothingToSetForScoresAtTheEnd) {
  const BoxTrial trial = try_boxes(outputs_of({transposed(84, 12, head(8))}));
  EXPECT_EQ(trial.parameters, "{}");
  EXPECT_THAT(trial.error, IsEmpty());
}

TEST(BoxTrials, IgnoreCoefficientsOfMasks) {
  const Tensor prototypes(ElementType::F32, {kImages, 32, 16, 16});
  const BoxTrial v8 = try_boxes(outputs_of({transposed(84, 44, head(8)), prototypes}));
  EXPECT_EQ(v8.parameters, "{ignored_columns: 32}");
  EXPECT_THAT(v8.error, IsEmpty());
  EXPECT_EQ(try_boxes(outputs_of({rows(252, 45, head(8, 5)), prototypes})).parameters, "{ignored_columns: 32}");
  EXPECT_EQ(try_boxes(outputs_of({transposed(84, 44, head(11)), prototypes})).parameters, "{ignored_columns: 32}")
      << "the first coefficients look like scores";
}

TEST(BoxTrials, IgnoreKeyPoints) {
  EXPECT_EQ(try_boxes(outputs_of({transposed(84, 56, head(1))})).parameters, "{ignored_columns: 51}");
}

TEST(BoxTrials, KeepAllScoresBesideFeatureMaps) {
  const Tensor features(ElementType::F32, {kImages, 4, 8, 8});
  EXPECT_EQ(try_boxes(outputs_of({transposed(84, 12, head(8)), features})).parameters, "{}");
}

// Boxes as center and size; the logits are those of classes and, with `background`, of a likely class at the end.
SampleOutputs transformer(bool background) {
  const Tensor boxes = rows(100, 4, [](std::size_t, std::size_t column) { return column < 2 ? 0.5 : 0.2; });
  const Tensor logits = rows(100, 9, [&](std::size_t row, std::size_t column) {
    return background && column == 8 ? 6 : -4 + coefficient(row, column);
  });
  return outputs_of({logits, boxes});
}

TEST(BoxTrials, ReadTransformers) {
  EXPECT_EQ(try_boxes(transformer(true)).parameters, "{activation: softmax, box_format: xywh}");
  EXPECT_EQ(try_boxes(transformer(false)).parameters, "{activation: sigmoid, box_format: xywh}");
  EXPECT_THAT(try_boxes(transformer(true)).error, IsEmpty());
}

TEST(BoxTrials, KeepCornersAndScoresOfSsd) {
  const Tensor boxes = rows(100, 4, [](std::size_t, std::size_t column) { return column < 2 ? 0.2 : 0.5; });
  EXPECT_EQ(try_boxes(outputs_of({boxes, rows(100, 9, [](auto, auto) { return 0.1; })})).parameters, "{}");
}

TEST(CheckedRoles, HaveTheParametersOfBoxes) {
  OutputRole role;
  role.kind = OutputRoleKind::Boxes;
  const CheckedRole checked = check_boxes(role, outputs_of({transposed(84, 56, head(1))}));
  EXPECT_EQ(checked.role.kind, OutputRoleKind::Boxes);
  EXPECT_EQ(checked.role.box_parameters, "{ignored_columns: 51}");
  EXPECT_THAT(checked.warning, IsEmpty());
}

// The offsets of MediaPipe, whose scores are another output.
TEST(CheckedRoles, ArePlainValuesIfBoxesCannotReadTheOutputs) {
  OutputRole role;
  role.kind = OutputRoleKind::Boxes;
  const CheckedRole checked = check_boxes(role, outputs_of({rows(84, 18, head(0)), rows(84, 1, coefficient)}));
  EXPECT_EQ(checked.role.kind, OutputRoleKind::Values);
  EXPECT_THAT(checked.warning,
              AllOf(HasSubstr("plain values of the first output: [Boxes] found the score"), HasSubstr("BoxAgreement")));
}

}  // namespace
}  // namespace lpot
