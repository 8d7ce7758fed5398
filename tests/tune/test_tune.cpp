// The front door on the quickstart network: real data, few samples.
#include "lpot/tune/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "lpot/core/error.h"
#include "lpot/strategies/kinds.h"
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
        "model: {name: net}\nquantization: {calibration: {sampling_size: 8}, recipes: {forms: plain}}\nevaluation:\n  "
        "accuracy:\n"
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

TEST_F(TuneTest, AResumedStudyWithMoreTrialsContinues) {
  const TuneResult first = run(unreachable(1));
  const TuneResult second = run(unreachable(2), true);
  ASSERT_THAT(first.trials, SizeIs(1));
  ASSERT_THAT(second.trials, SizeIs(2));
  EXPECT_EQ(second.trials[0], first.trials[0]);
  EXPECT_EQ(second.baseline, first.baseline);
  EXPECT_GT(second.seconds, first.seconds);
  EXPECT_EQ(second.evaluated_samples, 96u);
}

TEST_F(TuneTest, AConfigurationCanNameTheWorkspaceToResume) {
  const TuneResult first = run(unreachable(1));
  Config config = unreachable(2);
  config.tuning.resume_from = std::exchange(config.tuning.workspace, "");
  const TuneResult second = run(config);
  ASSERT_THAT(second.trials, SizeIs(2));
  EXPECT_EQ(second.study, first.study);
  EXPECT_EQ(second.trials[0], first.trials[0]);
}

TEST_F(TuneTest, ResumeWithoutAStudyStartsOneWithAWarning) {
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::Warning) warnings.emplace_back(text);
  };
  const TuneOptions options{.model = kModel, .output = {}, .resume = true};
  EXPECT_THAT(tune(unreachable(1), options, observer).trials, SizeIs(1));
  EXPECT_THAT(warnings, testing::Contains(AllOf(HasSubstr("--resume: there is no study in"), HasSubstr("new study"))));
  warnings.clear();
  tune(unreachable(2), options, observer);
  EXPECT_THAT(warnings, testing::Not(testing::Contains(HasSubstr("--resume"))));
}

TEST_F(TuneTest, AnotherGoalInTheSameWorkspaceMeasuresNothingTwice) {
  const auto with_tolerance = [&](const std::string& tolerance) {
    return config("{topk: 1}", "tuning:\n  accuracy_criterion: {absolute: " + tolerance + "}\n" + workspace());
  };
  const TuneResult first = run(with_tolerance("0.5"));
  EXPECT_EQ(first.evaluated_samples, 64u);
  const TuneResult second = run(with_tolerance("0.4"));
  EXPECT_EQ(second.evaluated_samples, 0u);
  EXPECT_EQ(second.baseline, first.baseline);
  ASSERT_THAT(second.trials, SizeIs(1));
  EXPECT_EQ(second.trials[0].result->accuracy, first.trials[0].result->accuracy);

  // Other data are another matter.
  Config other = with_tolerance("0.4");
  other.accuracy.iteration = 3;
  EXPECT_EQ(run(other).evaluated_samples, 48u);
}

// Scores of other studies save time, but the search is the same as in an empty workspace.
TEST_F(TuneTest, OtherStudiesInTheWorkspaceDoNotChangeTheSearch) {
  const auto study = [&](const std::string& tolerance, const std::string& folder) {
    Config config =
        this->config("{topk: 1}", "tuning:\n  strategy: {name: auto}\n  accuracy_criterion: {absolute: " + tolerance +
                                      "}\n  workspace: {path: " + (folder_ / folder).string() + "}\n");
    config.accuracy.iteration = 40;
    config.quantization.model_wise.weight.bits = 3;  // costs so much accuracy that plans miss the goals
    std::vector<std::string> steps;
    for (const Trial& trial : run(config).trials)
      steps.push_back(to_json(trial.plan) + (trial.result->complete ? " exact " : " estimate ") +
                      std::to_string(trial.result->accuracy));
    return steps;
  };
  std::size_t estimates = 0;
  for (const char* tolerance : {"0.02", "0.001", "0.05", "0.005"}) {
    const std::vector<std::string> alone = study(tolerance, std::string("alone ") + tolerance);
    EXPECT_EQ(study(tolerance, "shared"), alone) << tolerance;
    for (const std::string& step : alone) estimates += step.find("estimate") != std::string::npos;
  }
  EXPECT_GE(estimates, 2u) << "else the test says nothing about estimates";
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

TEST_F(TuneTest, ReportsDataThatDoNotFitBeforeItWritesAnything) {
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
  const std::string expected =
      "[quantize] the configuration keeps every op in fp32; at least one op must be allowed in int8 or, on a CPU with "
      "bf16 units, in bf16";
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

TEST_F(TuneTest, StoppedBeforeTheFirstTrialItThrowsInterruptedAndCanBeResumed) {
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

TEST_F(TuneTest, WarnsAboutCalibrationWithTheEvaluationData) {
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::Warning) warnings.emplace_back(text);
  };
  quantize_once(unreachable(1), {.model = kModel, .output = folder_ / "q"}, observer);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("calibrating with the evaluation data")));
}

// Weights of 3 bits shift the means of all channels, so bias correction brings the outputs nearer to fp32.
TEST_F(TuneTest, QuantizeOnceChoosesRecipesWithoutLabels) {
  Config config = unreachable(1);
  config.quantization.model_wise.weight.bits = 3;
  const auto is_corrected = [&] {
    const QuantizeResult once = quantize_once(config, {.model = kModel, .output = folder_ / "q"});
    return once.plan.recipes.flag("bias_correction");
  };
  EXPECT_TRUE(is_corrected());
  // The configuration decides if it names the recipe.
  config.quantization.recipes.values["bias_correction"] = false;
  EXPECT_FALSE(is_corrected());
}

TEST_F(TuneTest, DynamicQuantizationNeedsNoCalibrationDataAndDescribesActivations) {
  Config config = this->config("{topk: 1}", "tuning:\n  accuracy_criterion: {absolute: 0.1}\n" + workspace());
  config.quantization.approach = Approach::DynamicQuantization;
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::Warning) warnings.emplace_back(text);
  };
  const TuneResult result = tune(config, {.model = kModel}, observer);
  EXPECT_TRUE(result.goal_met);
  EXPECT_THAT(warnings, SizeIs(0));
  EXPECT_THAT(result.best->plan.fallback(), SizeIs(0))
      << "the first trial: " << result.trials[0].error
      << (result.trials[0].result ? to_json(*result.trials[0].result) : "") << " of " << result.goal.describe();
  EXPECT_LT(static_cast<double>(result.model_bytes), 0.45 * static_cast<double>(result.baseline.size_bytes));
  EXPECT_THAT(read_bytes(folder_ / "w/best/deploy.yaml"),
              AllOf(HasSubstr("approach: post_training_dynamic_quant"), HasSubstr("the model is smaller")));

  const TuneResult resumed = tune(config, {.model = kModel, .resume = true});
  EXPECT_EQ(resumed.trials, result.trials);
}

TEST_F(TuneTest, DynamicQuantizationFallsBackOpByOp) {
  Config config = unreachable(4);
  config.quantization.approach = Approach::DynamicQuantization;
  const TuneResult result = run(config);
  ASSERT_THAT(result.trials, SizeIs(4));
  EXPECT_THAT(result.trials[0].plan.fallback(), SizeIs(0)) << "per channel";
  EXPECT_THAT(result.trials[1].plan.fallback(), SizeIs(0)) << "per tensor";
  EXPECT_THAT(result.trials[2].plan.fallback(), SizeIs(1));
  for (const Trial& trial : result.trials) EXPECT_TRUE(trial.result) << trial.error;
}

TEST_F(TuneTest, DynamicQuantizationWorksWithoutAnyData) {
  Config config;
  config.quantization.approach = Approach::DynamicQuantization;
  const QuantizeResult once = quantize_once(config, {.model = kModel, .output = folder_ / "q"});
  EXPECT_EQ(once.calibration_samples, 0u);
  EXPECT_THAT(once.activations, HasSubstr("the model is smaller"));

  config.accuracy.command = "true {model}; echo 0.5";
  config.tuning.workspace = (folder_ / "w").string();
  const TuneResult tuned = tune(config, {.model = kModel});
  EXPECT_TRUE(tuned.goal_met);
  EXPECT_GT(tuned.best->result->latency_ms, 0);
}

TEST_F(TuneTest, AnEqualizedStudyHasItsOwnStatisticsAndResumesWithThem) {
  Config config = unreachable(1);
  const TuneResult plain = run(config);
  config.quantization.recipes.values["cross_layer_equalization"] = true;
  config.tuning.workspace = (folder_ / "e").string();
  const TuneResult first = run(config);
  ASSERT_THAT(first.trials, SizeIs(1));
  ASSERT_TRUE(first.trials[0].result) << first.trials[0].error;
  EXPECT_NE(first.trials[0].result->accuracy, plain.trials[0].result->accuracy) << "it changed nothing";
  EXPECT_LT(first.trials[0].result->accuracy, 4 * plain.trials[0].result->accuracy) << "of this error";
  EXPECT_THAT(read_bytes(folder_ / "e/best/deploy.yaml"), HasSubstr("cross_layer_equalization: true"));

  config.tuning.exit_policy.max_trials = 2;
  const TuneResult second = run(config, true);
  EXPECT_EQ(second.trials[0], first.trials[0]);
  EXPECT_TRUE(second.trials[1].result) << second.trials[1].error;
}

Observer counts_calibrations(std::size_t& count) {
  Observer observer;
  observer.on_progress = [&](const Progress& progress) {
    if (progress.stage == "calibrate" && progress.done == progress.total) ++count;
  };
  return observer;
}

bool is_equalized(const Plan& plan) { return plan.recipes.flag("cross_layer_equalization"); }

TEST_F(TuneTest, AutoCalibratesAgainForARecipeThatRescalesTheModel) {
  std::size_t calibrations = 0;
  const Observer observer = counts_calibrations(calibrations);
  Config config = unreachable(2);
  config.tuning.strategy.name = "auto";
  const TuneResult first = tune(config, {.model = kModel}, observer);
  EXPECT_EQ(calibrations, 2u);
  const auto equalized = std::count_if(first.probes.begin(), first.probes.end(),
                                       [](const Probe& probe) { return is_equalized(probe.plan); });
  EXPECT_GT(equalized, 0);

  // A resumed study has the statistics of both passes.
  config.tuning.exit_policy.max_trials = 3;
  const TuneResult second = tune(config, {.model = kModel, .resume = true}, observer);
  EXPECT_EQ(calibrations, 2u);
  EXPECT_EQ(second.trials[1], first.trials[1]);
}

TEST_F(TuneTest, AutoCalibratesOnceIfTheFirstPlanMeetsTheGoal) {
  std::size_t calibrations = 0;
  const Observer observer = counts_calibrations(calibrations);
  Config config = this->config("{topk: 1}", "tuning:\n  accuracy_criterion: {absolute: 0.5}\n" + workspace());
  config.tuning.strategy.name = "auto";
  EXPECT_TRUE(tune(config, {.model = kModel}, observer).goal_met);
  EXPECT_EQ(calibrations, 1u);
}

// The mean of the first output: not a metric that a config could name.
class MeanOutput : public Metric {
 public:
  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>&) override {
    for (std::size_t i = 0; i < outputs[0].size(); ++i) sum_ += outputs[0].value_at(i);
    count_ += outputs[0].size();
  }
  void merge(const Metric& other) override {
    const auto& same = dynamic_cast<const MeanOutput&>(other);
    sum_ += same.sum_;
    count_ += same.count_;
  }
  double result() const override { return sum_ / static_cast<double>(count_); }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<MeanOutput>(); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

// A data set that leaves its identity to Dataset: grey images, each of another brightness.
class Greys : public Dataset {
 public:
  Greys(std::size_t size, float brightest) : size_(size), brightest_(brightest) {}
  std::size_t size() const override { return size_; }
  Sample at(std::size_t index) const override {
    const float grey = brightest_ * static_cast<float>(index + 1) / static_cast<float>(size_);
    return {{Tensor::from<float>({1, 28, 28}, std::vector<float>(784, grey))}, Tensor::scalar<std::int64_t>(1)};
  }

 private:
  std::size_t size_;
  float brightest_;
};

class UserComponentsTest : public TuneTest {
 protected:
  Config config_in_code() const {
    Config config;
    config.quantization.sampling_sizes = {4};
    config.accuracy.loader = LoaderConfig{.batch_size = 4};
    config.tuning.criterion = {.relative = false, .tolerance = 100};
    config.tuning.workspace = (folder_ / "w").string();
    return config;
  }

  static TuneOptions user_components(float brightest = 1) {
    return {.model = kModel,
            .user = {.calibration_data = std::make_shared<Greys>(4, brightest),
                     .evaluation_data = std::make_shared<Greys>(8, brightest),
                     .metrics = {{"mean", std::make_shared<MeanOutput>()}}}};
  }
};

TEST_F(UserComponentsTest, TakeThePlaceOfTheConfigs) {
  const TuneResult result = tune(config_in_code(), user_components());
  EXPECT_EQ(result.metric, "mean");
  EXPECT_EQ(result.baseline.samples, 8u);
  EXPECT_NE(result.baseline.accuracy, 0.0);
  EXPECT_TRUE(result.goal_met);
  EXPECT_TRUE(std::filesystem::exists(result.model));
}

TEST_F(UserComponentsTest, MetricsStandBeforeTheConfigs) {
  Config config = config_in_code();
  config.accuracy.metrics = {parse_component("topk: 1", metrics())};
  const TuneResult result = tune(config, user_components());
  ASSERT_THAT(result.baseline.metrics, SizeIs(2));
  EXPECT_EQ(result.metric, "mean");
  EXPECT_EQ(result.baseline.metrics[1].first, "topk 1");
}

TEST_F(UserComponentsTest, BelongToTheStudy) {
  TuneOptions options = user_components();
  const TuneResult first = tune(config_in_code(), options);
  options.resume = true;
  EXPECT_EQ(tune(config_in_code(), options).trials, first.trials);

  TuneOptions other_data = user_components(2);
  other_data.resume = true;
  EXPECT_THAT(message_of<StoreError>([&] { tune(config_in_code(), other_data); }),
              HasSubstr("calibration data was ..."));

  options.user.metrics.front().name = "another";
  EXPECT_THAT(message_of<StoreError>([&] { tune(config_in_code(), options); }),
              AllOf(HasSubstr("own metrics"), HasSubstr("another")));
}

TEST_F(UserComponentsTest, QuantizeOnceTakesTheData) {
  TuneOptions options = user_components();
  options.output = folder_ / "q";
  EXPECT_EQ(quantize_once(config_in_code(), options).calibration_samples, 4u);
}

TEST_F(UserComponentsTest, AMissingMetricIsAnError) {
  TuneOptions options = user_components();
  options.user.metrics.front().metric = nullptr;
  EXPECT_THAT(message_of<ConfigError>([&] { tune(config_in_code(), options); }), HasSubstr("'mean'"));
}

TEST_F(UserComponentsTest, AMetricBesideACommandIsAnError) {
  Config config = config_in_code();
  config.accuracy.command = "true";
  EXPECT_THAT(message_of<ConfigError>([&] { tune(config, user_components()); }),
              HasSubstr("evaluation.accuracy.command"));
}

TEST_F(UserComponentsTest, AnEvaluationFunctionNeedsNoEvaluationDataThoughTheConfigHasALoader) {
  TuneOptions options = user_components();
  options.user.evaluation_data = nullptr;
  options.user.metrics.clear();
  options.user.evaluation = {"eval_func", [](const EvaluationRequest&) { return 0.5; }};
  EXPECT_EQ(dry_run(config_in_code(), options).calibration_size, 4u);
  EXPECT_EQ(tune(config_in_code(), options).baseline.accuracy, 0.5);
}

TEST_F(UserComponentsTest, AConfigWithoutDataOrMetricSaysWhatIsMissing) {
  TuneOptions options = user_components();
  options.user.evaluation_data = options.user.calibration_data = nullptr;
  EXPECT_THAT(message_of<ConfigError>([&] { tune(config_in_code(), options); }), HasSubstr("no evaluation data"));
  options = user_components();
  options.user.metrics.clear();
  EXPECT_THAT(message_of<ConfigError>([&] { tune(config_in_code(), options); }), HasSubstr("no metric"));
}

// Remembers the histories that it is asked with.
class RecordingStrategy : public Strategy {
 public:
  explicit RecordingStrategy(std::vector<std::size_t>& trials_seen) : trials_seen_(trials_seen) {}
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    trials_seen_.push_back(history.trials.size());
    return basic_->next(space, history);
  }

 private:
  std::vector<std::size_t>& trials_seen_;
  std::unique_ptr<Strategy> basic_ = make_basic_strategy();
};

TEST_F(UserComponentsTest, AStrategyIsAskedOnceForEachTrialAndSeesOnlyTrialsThatRan) {
  Config config = config_in_code();
  config.tuning.criterion.tolerance = 0;
  config.tuning.exit_policy.max_trials = 4;
  std::vector<std::size_t> trials_seen;
  TuneOptions options = user_components();
  options.user.strategy = {"recording", std::make_shared<RecordingStrategy>(trials_seen)};
  const TuneResult result = tune(config, options);
  std::vector<std::size_t> expected(result.trials.size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(trials_seen, expected);
}

TEST_F(UserComponentsTest, AProgramGetsTheReportAndTheResultAsFiles) {
  const TuneResult result = tune(config_in_code(), user_components());
  EXPECT_TRUE(std::filesystem::exists(result.workspace / "report.html"));
  EXPECT_TRUE(std::filesystem::exists(result.model.parent_path() / "result.json"));
}

}  // namespace
}  // namespace lpot
