// The front door on the quickstart network: real data, few samples.
#include "lpot/tune/quantization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/core/error.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/workspace.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kModel = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";

class TuneTest : public testing::Test {
 protected:
  // `rest` goes on below evaluation.accuracy, then at the top.
  Config config(const std::string& metric, const std::string& rest) const {
    return load_config_text(
        "model: {name: net}\nquantization: {calibration: {sampling_size: 8}}\nevaluation:\n  accuracy:\n"
        "    dataloader:\n      batch_size: 8\n"
        "      dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}\n"
        "      transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}\n"
        "    iteration: 4\n    metric: " +
            metric + "\n" + rest,
        "conf.yaml", component_tables());
  }

  // A goal that nothing reaches: not one output may differ from fp32's.
  Config unreachable(int trials) const {
    return config("{MSE: {compare_label: false}}",
                  "tuning:\n  accuracy_criterion: {absolute: 0}\n  exit_policy: {max_trials: " +
                      std::to_string(trials) + "}\n" + workspace());
  }

  std::string workspace() const { return "  workspace: {path: " + (folder_ / "w").string() + "}\n"; }

  TuneResult run(const Config& config, bool resume = false) const {
    return tune(config, {.model = kModel, .output = {}, .resume = resume});
  }

  TempFolder folder_;
};

TEST_F(TuneTest, AStudyThatIsResumedWithMoreTrialsGoesOn) {
  const TuneResult first = run(unreachable(1));
  const TuneResult second = run(unreachable(2), true);
  ASSERT_THAT(first.trials, SizeIs(1));
  ASSERT_THAT(second.trials, SizeIs(2));
  EXPECT_EQ(second.trials[0], first.trials[0]);
  EXPECT_EQ(second.baseline, first.baseline);
  EXPECT_GT(second.seconds, first.seconds);
  EXPECT_EQ(second.evaluated_samples, 96u);
}

TEST_F(TuneTest, AModelThatWasNotSavedIsSavedByTheResumption) {
  const TuneResult first = run(unreachable(1));
  for (const char* name : {"model.xml", "model.bin", "deploy.yaml"}) {
    const std::string content = read_bytes(folder_ / "w/best" / name);
    std::filesystem::remove(folder_ / "w/best" / name);
    EXPECT_EQ(run(unreachable(1), true).model, first.model);
    EXPECT_EQ(read_bytes(folder_ / "w/best" / name), content) << name;
  }
}

TEST_F(TuneTest, TheOutputFolderOfAResumptionMayBeAnother) {
  run(unreachable(1));
  const TuneResult result = tune(unreachable(1), {.model = kModel, .output = folder_ / "out", .resume = true});
  EXPECT_EQ(result.model, folder_ / "out/model.xml");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/model.bin"));
}

TEST_F(TuneTest, EachOfSeveralMetricsBelongsToTheStudy) {
  const std::string tuning = "tuning:\n  accuracy_criterion: {absolute: 1}\n" + workspace();
  run(config("[topk: 1, MSE: {compare_label: false}]", tuning));
  EXPECT_THAT(message_of<StoreError>([&] { run(config("[topk: 5, MSE: {compare_label: false}]", tuning), true); }),
              AllOf(HasSubstr("evaluation.accuracy.metric was"), HasSubstr("topk(k=1)"), HasSubstr("topk(k=5)")));
}

TEST_F(TuneTest, DataThatDoNotFitAreToldBeforeAnythingIsWritten) {
  const Config misfit = load_config_text(
      "model: {name: net}\nevaluation:\n  accuracy:\n    metric: {topk: 1}\n"
      "    dataloader: {dataset: {dummy: {shape: [4, 3, 32, 32]}}}\ntuning:\n" +
          workspace(),
      "conf.yaml", component_tables());
  EXPECT_THAT(message_of<DataError>([&] { run(misfit); }), HasSubstr("32"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "w"));
}

TEST_F(TuneTest, AConfigThatKeepsEverythingInFp32IsAnError) {
  Config config = unreachable(1);
  config.quantization.model_wise.weight.precisions = {Precision::Fp32};
  config.quantization.model_wise.activation.precisions = {Precision::Fp32};
  const std::string expected = "[quantize] the config keeps every op in fp32: nothing is left to quantize";
  EXPECT_EQ(message_of<ConfigError>([&] { run(config); }), expected);
  EXPECT_EQ(message_of<ConfigError>([&] { quantize_once(config, {.model = kModel, .output = folder_ / "q"}); }),
            expected);
  EXPECT_THAT(folder_.names(), SizeIs(0));
}

TEST_F(TuneTest, ARelativeLossOfNothingIsAnError) {
  const Config config =
      this->config("{MSE: {compare_label: false}}", "tuning:\n  accuracy_criterion: {relative: 0.1}\n" + workspace());
  EXPECT_THAT(message_of<ConfigError>([&] { run(config); }), HasSubstr("tuning.accuracy_criterion.absolute"));
}

TEST_F(TuneTest, StoppedBeforeTheFirstTrialItThrowsInterruptedAndCanGoOn) {
  Observer observer;
  observer.should_stop = [] { return true; };
  EXPECT_THROW(tune(unreachable(1), {.model = kModel, .output = {}}, observer), Interrupted);
  EXPECT_THAT(run(unreachable(1), true).trials, SizeIs(1));
}

TEST_F(TuneTest, StoppedInATrialItReturnsTheBestSoFar) {
  bool stop = false;
  Observer observer;
  observer.should_stop = [&] { return stop; };
  const TuneOptions options{.model = kModel, .output = {}, .on_trial = [&](const Trial&, bool) { stop = true; }};
  const TuneResult result = tune(unreachable(5), options, observer);
  EXPECT_EQ(result.reason, StopReason::Interrupted);
  EXPECT_THAT(result.trials, SizeIs(1));
  EXPECT_TRUE(std::filesystem::exists(result.model));
}

TEST_F(TuneTest, WarnsOfCalibrationWithTheEvaluationData) {
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::Warning) warnings.emplace_back(text);
  };
  quantize_once(unreachable(1), {.model = kModel, .output = folder_ / "q"}, observer);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("calibrating with the evaluation data")));
}

}  // namespace
}  // namespace lpot
