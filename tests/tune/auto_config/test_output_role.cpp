#include "lpot/tune/auto_config/output_role.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace lpot {
namespace {

using Kind = OutputRoleKind;

constexpr std::size_t kSamples = 12;

// Evaluates `value(sample, index)` for the values of an output with this shape of a sample.
SampleOutputs outputs_of(const Shape& sample, const std::function<double(std::size_t, std::size_t)>& value) {
  SampleOutputs outputs;
  outputs.samples = kSamples;
  OutputShape shape{{static_cast<std::int64_t>(kSamples)}};
  for (const std::size_t size : sample) {
    shape.dimensions.push_back(static_cast<std::int64_t>(size));
    if (size != 1) outputs.shape.push_back(size);
  }
  outputs.shapes = {shape};
  for (std::size_t i = 0; i < kSamples; ++i) {
    Tensor map(ElementType::F32, sample);
    for (std::size_t k = 0; k < map.size(); ++k) map.data<float>()[k] = static_cast<float>(value(i, k));
    if (outputs.shape.size() <= 1) {
      OutputRow row;
      for (std::size_t k = 0; k < map.size(); ++k) row.push_back(map.value_at(k));
      outputs.rows.push_back(std::move(row));
    }
    outputs.maps.push_back(map);
  }
  return outputs;
}

double noise(std::size_t sample, std::size_t index) {
  std::mt19937 random(static_cast<unsigned>(sample * 7919 + index));
  return std::normal_distribution<double>()(random);
}
double share(std::size_t sample, std::size_t index) { return std::fabs(std::tanh(noise(sample, index))); }

OutputEvidence evidence(OutputEndKind end, const std::string& name = "output", std::optional<std::size_t> axis = {}) {
  OutputEvidence found{.end = {end, "Op", axis}, .name = name};
  found.inputs = {{-1, 3, 64, 64}};
  return found;
}

OutputRole found(OutputEndKind end, const Shape& sample, const std::string& name = "output") {
  return find_output_role(evidence(end, name), outputs_of(sample, noise));
}

TEST(OutputRoles, OfVectors) {
  EXPECT_EQ(found(OutputEndKind::Softmax, {10}).kind, Kind::Classes);
  EXPECT_EQ(found(OutputEndKind::Linear, {10}).kind, Kind::Classes);
  EXPECT_EQ(found(OutputEndKind::Linear, {10, 1, 1}).kind, Kind::Classes);
  EXPECT_EQ(found(OutputEndKind::UnitNorm, {128}).kind, Kind::Embedding);
  EXPECT_EQ(found(OutputEndKind::Mean, {128}).kind, Kind::Embedding);
  EXPECT_EQ(found(OutputEndKind::Tanh, {128}).kind, Kind::Embedding);
  EXPECT_EQ(found(OutputEndKind::Linear, {128}, "sentence_embedding").kind, Kind::Embedding);
  EXPECT_EQ(found(OutputEndKind::Mean, {10}, "logits").kind, Kind::Classes);
  EXPECT_EQ(found(OutputEndKind::Sigmoid, {10}).kind, Kind::Labels) << "several labels per sample";
  const auto low = [](std::size_t sample, std::size_t k) { return 0.4 * share(sample, k); };
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Sigmoid), outputs_of({10}, low)).kind, Kind::Classes);
}

TEST(OutputRoles, OfUnitVectors) {
  const auto unit = [](std::size_t sample, std::size_t k) {
    return k == 0 ? std::sin(1.0 * sample) : std::cos(1.0 * sample);
  };
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Other), outputs_of({2}, unit)).kind, Kind::Embedding);
  const auto certain = [](std::size_t sample, std::size_t k) { return sample % 2 == k ? 1.0 : 0.0; };
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Other), outputs_of({2}, certain)).kind, Kind::Classes)
      << "certain probabilities are unit vectors too";
}

TEST(OutputRoles, OfCoordinates) {
  const auto coordinates = [](std::size_t sample, std::size_t k) { return 10.0 * k + noise(sample, k); };
  const OutputRole role = find_output_role(evidence(OutputEndKind::Linear), outputs_of({42}, coordinates));
  EXPECT_EQ(role.kind, Kind::Values);
  EXPECT_THAT(role.evidence, testing::HasSubstr("as coordinates have"));
}

TEST(OutputRoles, OfTheFirstOfManyOutputs) {
  SampleOutputs outputs = outputs_of({195}, noise);
  outputs.shapes.resize(3, outputs.shapes[0]);
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Linear), outputs).kind, Kind::Values);
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Softmax), outputs).kind, Kind::Classes);
}

TEST(OutputRoles, OfNumbers) {
  EXPECT_EQ(found(OutputEndKind::Sigmoid, {1}).kind, Kind::Decision);
  EXPECT_EQ(found(OutputEndKind::Linear, {1}).kind, Kind::Values);
  OutputEvidence index = evidence(OutputEndKind::Index);
  index.is_integer = true;
  EXPECT_EQ(find_output_role(index, outputs_of({}, noise)).kind, Kind::ClassIndex);
}

TEST(OutputRoles, OfMaps) {
  const OutputRole first =
      find_output_role(evidence(OutputEndKind::Softmax, "output", 1), outputs_of({5, 16, 16}, share));
  EXPECT_EQ(first.kind, Kind::Map);
  EXPECT_EQ(first.class_axis, "first");
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Softmax, "output", 3), outputs_of({16, 16, 5}, share)).class_axis,
            "last");
  const auto certain = [](std::size_t sample, std::size_t k) { return 20 * noise(sample, k); };
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Resize), outputs_of({5, 16, 16}, certain)).kind, Kind::Map);
  EXPECT_EQ(found(OutputEndKind::Resize, {5, 16, 16}).kind, Kind::Values) << "the softmax is flat";
  EXPECT_EQ(found(OutputEndKind::Other, {5, 16, 16}).kind, Kind::Values);
  EXPECT_EQ(found(OutputEndKind::Linear, {3, 64, 64}).kind, Kind::Values) << "the shape of the input";
  OutputEvidence classes = evidence(OutputEndKind::Index);
  classes.is_integer = true;
  EXPECT_EQ(find_output_role(classes, outputs_of({16, 16}, noise)).kind, Kind::Map);
}

TEST(OutputRoles, OfMasks) {
  const OutputRole mask = find_output_role(evidence(OutputEndKind::Sigmoid), outputs_of({1, 16, 16}, share));
  EXPECT_EQ(mask.kind, Kind::Mask);
  EXPECT_NEAR(mask.share_above, 0.58, 0.05);
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Other), outputs_of({16, 16, 1}, share)).class_axis, "last");
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Sigmoid), outputs_of({4, 16, 16}, share)).kind, Kind::Labels);
  const auto low = [](std::size_t sample, std::size_t k) { return 0.4 * share(sample, k); };
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Sigmoid), outputs_of({1, 16, 16}, low)).kind, Kind::Values)
      << "everything would agree";
}

TEST(OutputRoles, OfSequences) {
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Softmax, "output", 2), outputs_of({40, 97}, share)).kind,
            Kind::Steps);
  OutputEvidence tokens = evidence(OutputEndKind::Normalization, "last_hidden_state");
  tokens.inputs = {{-1, -1}, {-1, -1}};
  EXPECT_EQ(find_output_role(tokens, outputs_of({16, 384}, noise)).kind, Kind::Embedding);
  const auto certain = [](std::size_t sample, std::size_t k) { return 20 * noise(sample, k); };
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Linear), outputs_of({16, 9}, certain)).kind, Kind::Steps);
  EXPECT_EQ(found(OutputEndKind::Linear, {16, 9}).kind, Kind::Values);
  tokens = evidence(OutputEndKind::Linear, "logits");
  tokens.inputs = {{-1, -1}};
  EXPECT_EQ(find_output_role(tokens, outputs_of({16, 9}, noise)).class_axis, "last");
  OutputEvidence gains = evidence(OutputEndKind::Sigmoid);
  gains.inputs = {{-1, -1, 161}};
  EXPECT_EQ(find_output_role(gains, outputs_of({50, 161}, share)).kind, Kind::Values) << "the shape of the input";
}

TEST(OutputRoles, OfKeyPoints) {
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Other), outputs_of({1, 17, 3}, share)).kind, Kind::Values);
}

TEST(OutputRoles, OfStepsBeforeSamples) {
  SampleOutputs outputs = outputs_of({1, 97}, share);
  outputs.has_row_per_sample = false;
  EXPECT_EQ(find_output_role(evidence(OutputEndKind::Softmax, "output", 2), outputs).kind, Kind::Values);
}

TEST(OutputRoles, OfDetectors) {
  EXPECT_EQ(found(OutputEndKind::Other, {22, 2100}).kind, Kind::Boxes);
  OutputEvidence suppressed = evidence(OutputEndKind::Other);
  suppressed.suppresses_boxes = true;
  EXPECT_EQ(find_output_role(suppressed, outputs_of({100, 4}, share)).kind, Kind::Boxes);
}

}  // namespace
}  // namespace lpot
