#include "lpot/tune/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lpot/tune/setup.h"
#include "tests/support/files.h"

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
  op.channels = 16;
  return op;
}

TEST(Findings, AreNoneForAHealthyOp) {
  EXPECT_THAT(kinds(healthy()), IsEmpty());
  EXPECT_DOUBLE_EQ(*healthy().decibels(), 40);
}

TEST(Findings, NameEachTroubleWithALineThatActsOnIt) {
  OpDiagnosis op = healthy();
  op.noise = 0.1;
  op.slower_in_int8 = true;
  op.outliers = 2;
  op.saturates = true;
  op.dead = 1;
  op.samples = 50;
  EXPECT_THAT(kinds(op), ElementsAre("noise", "slower", "outliers", "saturation", "dead"));
  EXPECT_THAT(findings(op)[0].yaml, HasSubstr("{\"conv \\\"1\\\"\": {activation: {dtype: [fp32]}"));
  EXPECT_THAT(findings(op)[4].yaml, HasSubstr("sampling_size: 200"));
}

TEST(Findings, AskForWhatMovesOutliersInAnOpOfThatType) {
  OpDiagnosis op = healthy();
  op.outliers = 2;
  EXPECT_THAT(findings(op)[0].yaml, HasSubstr("cross_layer_equalization: true"));
  op.type = "MatMul";
  EXPECT_THAT(findings(op)[0].yaml, HasSubstr("smooth_quant: true"));
}

// One network for the whole suite: it is only looked at.
class DiagnoseTest : public testing::Test {
 protected:
  static Bench& bench() {
    static Bench made = [] {
      const Config config = load_config_text(
          "model: {name: net}\nevaluation: {accuracy: {metric: {topk: 1}, dataloader: {dataset: {dummy: {shape: [4, 1, "
          "28, 28]}}}}}\n",
          "conf.yaml", component_tables());
      return make_bench(config, LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx", {}, {});
    }();
    return made;
  }

  // The first op reads these channels, each of two values.
  static OpDiagnosis first_with(const std::vector<std::pair<float, float>>& channels) {
    std::vector<float> values;
    for (const auto& [low, high] : channels) values.insert(values.end(), {low, high});
    Statistics statistics;
    statistics[bench().ops[0].activation].add(Tensor::from<float>({1, channels.size(), 2}, values), 1);
    return diagnose(bench(), 4, statistics, {}, {}, {})[0];
  }
};

TEST_F(DiagnoseTest, CountsChannelsThatNeverChangeAndThoseFarWiderThanMost) {
  const OpDiagnosis found = first_with({{0, 1}, {0, 0}, {-1, 1}, {0, 40}, {3, 3}, {0, 1}});
  EXPECT_EQ(found.channels, 6u);
  EXPECT_EQ(found.dead, 2u);
  EXPECT_EQ(found.outliers, 1u);
  EXPECT_DOUBLE_EQ(found.widest, 40);
}

TEST_F(DiagnoseTest, SaysNothingAboutChannelsThatAreTooFewToCompare) {
  const OpDiagnosis found = first_with({{0, 0}, {0, 100}});
  EXPECT_EQ(found.dead, 0u);
  EXPECT_EQ(found.outliers, 0u);
}

TEST_F(DiagnoseTest, TakesTheTimeOfTheFormThatWasChosen) {
  const std::string name = bench().ops[0].name;
  FormChoice forms;
  forms.times[name] = {3, 2, 1};
  EXPECT_EQ(diagnose(bench(), 4, {}, {}, {}, forms)[0].int8_ms, 2);
  forms.forms[name] = Form::Convolution;
  EXPECT_EQ(diagnose(bench(), 4, {}, {}, {}, forms)[0].int8_ms, 1);
  EXPECT_EQ(diagnose(bench(), 4, {}, {}, {}, {})[0].int8_ms, std::nullopt);
}

}  // namespace
}  // namespace lpot
