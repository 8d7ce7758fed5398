#include "lpot/plan/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> kinds(const OpDiagnosis& op) {
  std::vector<std::string> found;
  for (const Finding& finding : findings(op)) found.push_back(finding.kind);
  return found;
}

OpDiagnosis healthy() {
  OpDiagnosis op;
  op.op = "conv \"1\"";
  op.type = "Convolution";
  op.noise = 0.0001;
  op.channels.count = 16;
  return op;
}

TEST(Findings, AreEmptyForAnOpWithoutProblems) {
  EXPECT_THAT(kinds(healthy()), IsEmpty());
  EXPECT_DOUBLE_EQ(*healthy().decibels(), 40);
}

TEST(Findings, DescribeEachProblemAndTheYamlThatAddressesIt) {
  OpDiagnosis op = healthy();
  op.noise = 0.1;
  op.slower_in_int8 = true;
  op.channels.outliers = 2;
  op.saturates = true;
  op.channels.dead = 1;
  op.samples = 50;
  EXPECT_THAT(kinds(op), ElementsAre("noise", "slower", "outliers", "saturation", "dead"));
  EXPECT_THAT(findings(op)[0].yaml, HasSubstr("{\"conv \\\"1\\\"\": {activation: {dtype: [fp32]}"));
  EXPECT_THAT(findings(op)[4].yaml, HasSubstr("sampling_size: 200"));
}

TEST(Findings, SuggestTheOutlierRecipeForTheOpType) {
  OpDiagnosis op = healthy();
  op.channels.outliers = 2;
  EXPECT_THAT(findings(op)[0].yaml, HasSubstr("cross_layer_equalization: true"));
  op.type = "MatMul";
  EXPECT_THAT(findings(op)[0].yaml, HasSubstr("smooth_quant: true"));
}

TEST(OpDiagnosis, IsReadBackFromJsonWithItsFindings) {
  OpDiagnosis op = healthy();
  op.tensor = "x";
  op.channels = {16, 1, 2, 30};
  op.fp32_ms = 2;
  op.int8_ms = 1;
  op.saturates = op.slower_in_int8 = true;
  EXPECT_EQ(op_diagnosis_from_json(to_json(op)), op);
  ASSERT_EQ(findings_from_json(to_json(op)).size(), findings(op).size());
  EXPECT_EQ(findings_from_json(to_json(op))[1].text, findings(op)[1].text);
}

}  // namespace
}  // namespace lpot
