#include "lpot/report/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

const std::string kModel = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";

Measurement measured(double accuracy, double latency_ms, double speedup) {
  Measurement made;
  made.accuracy = accuracy;
  made.metrics = {{"topk 1", accuracy}, {"MSE", 0.25}};
  made.latency_ms = latency_ms;
  made.speedup = speedup;
  made.size_bytes = 1000000;
  made.samples = 100;
  return made;
}

TuneResult tuned() {
  TuneResult result;
  result.goal_met = true;
  result.reason = StopReason::GoalMet;
  result.goal = {.baseline = 0.9, .tolerance = 0.01};
  result.baseline = measured(0.9, 4.0, 1.0);
  Trial best;
  best.number = 2;
  best.plan.ops = {{"conv", {Precision::Int8, {}, {}}}, {"fc", {}}};
  best.result = measured(0.895, 1.5, 2.0);
  best.result->speedup_low = 1.9;
  best.result->speedup_high = 2.1;
  best.result->cores = 1;
  best.seconds = 3;
  Trial failed;
  failed.number = 1;
  failed.error = "[compile] it does not";
  result.trials = {failed, best};
  result.best = best;
  result.seconds = 12.5;
  result.evaluated_samples = 200;
  result.model = kModel;
  result.model_bytes = 250000;
  result.workspace = "w";
  return result;
}

TuneResult dynamic() {
  TuneResult result = tuned();
  result.best->plan.ops.at("conv").weights_only = true;
  result.cpu.avx2 = true;
  return result;
}

TuneResult fruitless() {
  TuneResult result = tuned();
  result.goal_met = false;
  result.reason = StopReason::NoPlanLeft;
  result.best.reset();
  result.trials.pop_back();
  result.model.clear();
  return result;
}

TEST(ResultJson, HoldsWhatProgramsReadFromIt) {
  const Json json = Json::parse(result_json(tuned()));
  EXPECT_EQ(json["goal_met"], true);
  EXPECT_EQ(json["baseline"]["accuracy"], 0.9);
  EXPECT_EQ(json["baseline"]["size_bytes"], 1000000);
  EXPECT_EQ(json["best"]["accuracy"], 0.895);
  EXPECT_EQ(json["best"]["latency_ms"], 1.5);
  EXPECT_EQ(json["best"]["size_bytes"], 250000);
  EXPECT_EQ(json["best"]["trial"], 2);
  EXPECT_EQ(json["best"]["fallback"], Json::array({"fc"}));
  EXPECT_EQ(json["trials"], 2);
  EXPECT_EQ(json["seconds"], 12.5);
  EXPECT_EQ(json["evaluated_samples"], 200);
  EXPECT_EQ(json["model"], kModel);
}

TEST(ResultJson, HasTheBestTrialOverTimeAndTheFront) {
  TuneResult result = tuned();
  result.times.before_trials = 5;
  Trial faster = *result.best, slower = *result.best, beaten = *result.best;
  faster.number = 3;
  faster.result = measured(0.85, 1.0, 3.0);
  slower.number = 4;
  slower.result = measured(0.9, 2.0, 1.5);
  beaten.number = 5;
  beaten.result = measured(0.84, 2.0, 1.4);
  result.trials.insert(result.trials.end(), {faster, slower, beaten});
  result.probes = {{.plan = {}, .distance = 0.1, .seconds = 0.5, .before_trial = 2}};
  const Json json = Json::parse(result_json(result));
  ASSERT_EQ(json["history"].size(), 5u);
  EXPECT_EQ(json["history"][0]["error"], "[compile] it does not");
  EXPECT_FALSE(json["history"][0].contains("best_so_far"));
  EXPECT_EQ(json["history"][1]["seconds"], 8.5);
  EXPECT_EQ(json["history"][2]["best_so_far"], 2) << "3 is faster but misses the goal";
  EXPECT_EQ(json["history"][4]["seconds"], 17.5);
  EXPECT_EQ(json["front"], Json::array({3, 2, 4}));
}

// The machine may have been busier when fp32 was measured alone.
TEST(ResultJson, UsesTheFp32LatencyFromTheRunOfTheBestTrial) {
  const Json json = Json::parse(result_json(tuned()));
  EXPECT_DOUBLE_EQ(json["baseline"]["latency_ms"], 3.0);
  EXPECT_DOUBLE_EQ(json["baseline"]["latency_ms"].get<double>() / json["best"]["latency_ms"].get<double>(), 2.0);
  EXPECT_DOUBLE_EQ(Json::parse(result_json(fruitless()))["baseline"]["latency_ms"], 4.0);
}

TEST(ResultJson, HasNullWithoutABestTrial) {
  const Json json = Json::parse(result_json(fruitless()));
  EXPECT_TRUE(json["best"].is_null());
  EXPECT_EQ(json["model"], "");
  EXPECT_EQ(json["goal_met"], false);
}

TEST(ResultJson, HasNullForNan) {
  TuneResult result = tuned();
  result.baseline.metrics[1].second = std::nan("");
  EXPECT_TRUE(Json::parse(result_json(result))["baseline"]["metrics"]["MSE"].is_null());
}

TEST(ResultText, SaysSlowerAndLargerWhereInt8Is) {
  TuneResult result = tuned();
  result.best->result = measured(0.895, 1.5, 0.5);
  result.model_bytes = 2 * result.baseline.size_bytes;
  EXPECT_THAT(result_text(result), AllOf(HasSubstr("latency, batch 1  0.750 ms  1.500 ms  2.00 x slower\n"),
                                         HasSubstr("size on disk       1.00 MB   2.00 MB  2.00 x larger\n")));
}

TEST(ResultText, ComparesFp32AndInt8AndSaysHowToRunIt) {
  EXPECT_THAT(result_text(tuned()),
              AllOf(HasSubstr("topk 1              0.9000    0.8950                    -0.0050\n"),
                    HasSubstr("latency, batch 1  3.000 ms  1.500 ms  2.00 x faster (1.90-2.10)\n"),
                    HasSubstr("size on disk       1.00 MB    250 kB             4.00 x smaller\n"),
                    HasSubstr("speed     against fp32 in the same run; both models ran alternately on one core\n"
                              "          (in parentheses: 95% confidence interval of the median)\n"),
                    HasSubstr("goal      at least 0.8910 (0.9000 less 1% relative): met\n"),
                    HasSubstr("trials    2, 200 samples evaluated in 12.5 s; stopped because the goal is met\n"),
                    HasSubstr("best      trial 2: 1 ops in int8, 1 in fp32 (fc)\n"),
                    HasSubstr("model     " + kModel + "\n"), HasSubstr(python_lines(kModel))));
}

TEST(ResultText, SaysWhatTheProbesDid) {
  TuneResult result = tuned();
  result.probes.resize(13);
  EXPECT_THAT(result_text(result), HasSubstr("probes    13; they compared the outputs with fp32 on a few samples\n"));
  for (std::size_t i = 0; i < 11; ++i) result.probes[i].loss = 0.01;
  EXPECT_THAT(result_text(result),
              HasSubstr("probes    13: 11 estimated the accuracy, 2 compared the outputs with fp32; all\n"
                        "          on a few samples\n"));
  result.probes.resize(11);
  EXPECT_THAT(result_text(result), HasSubstr("probes    11; they estimated the accuracy on a few samples\n"));
}

TEST(ResultText, NamesTheRangesAndRecipesOfTheBestModel) {
  TuneResult result = tuned();
  result.best->plan.ops.at("conv").activation.algorithm = Algorithm::Kl;
  result.best->plan.ops.at("conv").weight = {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric};
  result.best->plan.recipes.set("bias_correction", true);
  EXPECT_THAT(result_text(result), HasSubstr("ranges    activations: kl; weights: minmax per channel; recipes:\n"
                                             "          fast_bias_correction\n"));
  const Json best = Json::parse(result_json(result))["best"];
  EXPECT_EQ(best["ranges"], "activations: kl; weights: minmax per channel");
  EXPECT_EQ(best["recipes"], Json::array({"fast_bias_correction"}));
  result.best->plan.ops = {{"conv", {}}};
  EXPECT_THAT(result_text(result), Not(HasSubstr("ranges ")));
}

// The best trial and two other candidates of the same ranking.
TuneResult ranked() {
  TuneResult result = tuned();
  Plan with_kl = result.best->plan, with_recipe = result.best->plan;
  with_kl.ops.at("conv").activation.algorithm = Algorithm::Kl;
  with_recipe.recipes.set("bias_correction", true);
  const auto estimate = [](const Plan& plan, double loss) {
    return Probe{.plan = plan, .level = 1, .loss = loss, .loss_error = 0.0041, .samples = 106, .used_samples = 212};
  };
  result.probes = {estimate(result.best->plan, 0.004), estimate(with_kl, 0.03), estimate(with_recipe, 0.001)};
  return result;
}

TEST(ResultText, NamesTheBestOfTheRankedCandidates) {
  TuneResult result = ranked();
  for (Probe& probe : result.probes)
    for (auto& [name, op] : probe.plan.ops)
      op.weight = {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric};
  result.trials[1].plan = result.probes[0].plan;
  EXPECT_THAT(result_text(result),
              HasSubstr("ranked    3 candidates by estimated accuracy:\n"
                        "          minmax + fast_bias_correction  0.8990 +- 0.0041  not tried\n"
                        "          minmax                         0.8960 +- 0.0041  trial 2: 0.8950\n"
                        "          kl                             0.8700 +- 0.0041  not tried\n"
                        "best "));
  for (const Algorithm other : {Algorithm::Mse, Algorithm::Percentile}) {
    result.probes.push_back(result.probes[1]);
    result.probes.back().plan.ops.at("conv").activation.algorithm = other;
  }
  EXPECT_THAT(result_text(result), HasSubstr("5 candidates by estimated accuracy; all of them are in the report:\n"));
}

TEST(ResultText, ListsTheBestTrialEvenIfOtherCandidatesHaveBetterEstimates) {
  TuneResult result = ranked();
  for (const double loss : {0.001, 0.002, 0.003}) {
    result.probes.push_back(result.probes[2]);
    result.probes.back().loss = loss;
    result.probes.back().plan.sampling_size = static_cast<std::size_t>(1000 * loss);
  }
  EXPECT_THAT(result_text(result), AllOf(HasSubstr("ranked    6 candidates"), HasSubstr("trial 2: 0.8950\nbest ")));
}

TEST(ResultText, NamesOnlyRecipesThatSomeCandidatesDoNotHave) {
  TuneResult result = ranked();
  for (Probe& probe : result.probes) probe.plan.recipes.set("residual_sums", true);
  Plan without_int8;
  without_int8.ops = {{"conv", {}}, {"fc", {}}};
  result.probes.push_back({.plan = without_int8, .level = 1, .loss = 0});
  EXPECT_THAT(result_text(result), AllOf(HasSubstr(" + fast_bias_correction "), Not(HasSubstr("residual_sums"))));
}

TEST(ResultText, RanksByDistanceIfTheEvaluationIsABlackBox) {
  TuneResult result = ranked();
  result.probes.resize(2);
  for (Probe& probe : result.probes) probe.loss.reset();
  result.probes[0].distance = 0.25;
  result.probes[1].distance = 0.125;
  EXPECT_THAT(result_text(result),
              HasSubstr("ranked    2 candidates by distance of the outputs from fp32:\n"
                        "          kl, weights minmax per tensor asymmetric      distance 0.125  not tried\n"));
  const Json json = Json::parse(result_json(result))["ranked"];
  EXPECT_TRUE(json[0]["estimated_accuracy"].is_null());
  EXPECT_TRUE(json[0]["error"].is_null());
  EXPECT_EQ(json[0]["distance"], 0.125);
}

TEST(ResultJson, HasTheRankedCandidates) {
  const Json json = Json::parse(result_json(ranked()))["ranked"];
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0]["recipes"], Json::array({"fast_bias_correction"}));
  EXPECT_DOUBLE_EQ(json[0]["estimated_accuracy"], 0.899);
  EXPECT_EQ(json[0]["error"], 0.0041);
  EXPECT_EQ(json[0]["samples"], 212);
  EXPECT_EQ(json[0]["not_int8"], 1);
  EXPECT_EQ(json[0]["precision"], "f32");
  EXPECT_TRUE(json[0]["distance"].is_null());
  EXPECT_TRUE(json[0]["trial"].is_null());
  EXPECT_EQ(json[1]["trial"], 2);
  EXPECT_THAT(json[2]["ranges"], HasSubstr("activations: kl"));
  EXPECT_EQ(Json::parse(result_json(tuned()))["ranked"], Json::array());
  EXPECT_EQ(Json::parse(result_json(ranked()))["history"][1]["recipes"], Json::array());
}

TEST(ResultText, ShortensALongListOfOpsInFp32) {
  TuneResult result = tuned();
  for (int i = 0; i < 47; ++i) result.best->plan.ops["fc" + std::to_string(10 + i)] = {};
  EXPECT_THAT(result_text(result),
              HasSubstr("1 ops in int8, 48 in fp32 (fc, fc10, fc11, fc12, fc13 and 43 more, see the report)\n"));
  EXPECT_EQ(Json::parse(result_json(result))["best"]["fallback"].size(), 48u);
}

TEST(ResultText, DescribesActivationsWhereOnlyWeightsAreInt8) {
  EXPECT_THAT(result_text(dynamic()), AllOf(HasSubstr("activations stay fp32"), HasSubstr("the model is smaller")));
  EXPECT_THAT(Json::parse(result_json(dynamic()))["best"]["activations"], HasSubstr("stay fp32"));
  EXPECT_THAT(result_text(tuned()), Not(HasSubstr("activations stay")));
  EXPECT_FALSE(Json::parse(result_json(tuned()))["best"].contains("activations"));
}

TEST(ResultText, SaysThatTheGoalWasNotMetAndWhatMayHelp) {
  TuneResult result = tuned();
  result.goal_met = false;
  EXPECT_THAT(result_text(result),
              AllOf(HasSubstr("NOT met"), HasSubstr("larger tuning.exit_policy.max_trials, with --resume")));
  EXPECT_THAT(result_text(tuned()), Not(HasSubstr("--resume")));
}

TEST(ResultText, SaysHowToContinueAnInterruptedStudy) {
  TuneResult result = tuned();
  result.reason = StopReason::Interrupted;
  EXPECT_THAT(result_text(result), HasSubstr("To continue, run the same command with --resume.\n"));
}

TEST(ResultText, PrintsTheErrorsWhenNoTrialSucceeded) {
  EXPECT_THAT(result_text(fruitless()), AllOf(HasSubstr("no trial succeeded"),
                                              HasSubstr("trial 1: [compile] it does not"), Not(HasSubstr("nan"))));
}

TEST(PythonLines, AreFiveAndFitTheModelsInputs) {
  const std::string lines = python_lines(kModel);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 5);
  EXPECT_THAT(lines, AllOf(HasSubstr("np.zeros([1, 1, 28, 28], np.float32)"), HasSubstr(kModel)));
}

TEST(OnnxRuntimeLines, FollowThoseForOpenVinoWhereAnOnnxFileIsSaved) {
  TuneResult result = tuned();
  EXPECT_THAT(result_text(result), Not(HasSubstr("onnxruntime")));
  result.exports = {{"onnx", kModel, 100}};
  EXPECT_THAT(result_text(result),
              HasSubstr("import numpy as np, onnxruntime as ort\n"
                        "session = ort.InferenceSession(\"" +
                        kModel +
                        "\")\n"
                        "outputs = session.run(None, {\"image\": np.zeros([1, 1, 28, 28], np.float32)})\n"
                        "print(outputs[0].shape)\n"));
}

TEST(PythonLines, ReshapeAModelThatLeavesDimensionsOpen) {
  TuneResult result = tuned();
  result.shapes = {.inputs = {{"input", {4, 1, 28, 28}}}, .lengths = {}};
  const std::string lines = python_lines(kModel, result.shapes);
  EXPECT_THAT(lines, AllOf(HasSubstr("model.reshape({\"input\": [4, 1, 28, 28]})\n"),
                           HasSubstr("core.compile_model(model, \"CPU\""), HasSubstr("compiled(inputs)")));
  EXPECT_THAT(result_text(result),
              AllOf(HasSubstr(lines), HasSubstr("static shapes, for example: input [4,1,28,28].\n"),
                    HasSubstr("In C++: model->reshape(")));
  const Json json = Json::parse(result_json(result));
  EXPECT_EQ(json["static_shapes"]["inputs"]["input"], Json::array({4, 1, 28, 28}));
  EXPECT_EQ(json["static_shapes"]["python"], result.shapes.python_line());
  EXPECT_FALSE(Json::parse(result_json(tuned())).contains("static_shapes"));
}

TEST(TrialRow, MarksAnAccuracyOfAnEvaluationThatStoppedEarly) {
  Trial trial = *tuned().best;
  trial.result->complete = false;
  EXPECT_EQ(trial_row(trial, false, false),
            "    2    0.8950    1.500  2.00 x (1.90-2.10)         1     3.0 s  estimate");
}

TEST(TrialRow, HasNoSpreadInAStudyOfAnOlderVersion) {
  Trial trial = *tuned().best;
  trial.result->speedup_low = trial.result->speedup_high = 0;
  EXPECT_EQ(trial_row(trial, false, false), "    2    0.8950    1.500              2.00 x         1     3.0 s");
}

TEST(ResultJson, HasTheSpreadOfTheSpeedup) {
  const Json json = Json::parse(result_json(tuned()));
  for (const Json& entry : {json["best"], json["history"][1]}) {
    EXPECT_EQ(entry["speedup"], 2.0);
    EXPECT_EQ(entry["speedup_low"], 1.9);
    EXPECT_EQ(entry["speedup_high"], 2.1);
  }
  EXPECT_EQ(json["best"]["cores"], 1);
}

TEST(TrialRow, IsAlignedWithItsHeader) {
  const TuneResult result = tuned();
  EXPECT_EQ(trial_row(*result.best, false, false).size(), trial_header().size());
  EXPECT_EQ(trial_row(*result.best, true, true),
            "    2    0.8950    1.500  2.00 x (1.90-2.10)         1     3.0 s  goal met, best");
  EXPECT_LE(trial_row(*result.best, true, true).size(), 80u);
  EXPECT_EQ(trial_row(result.trials[0], false, false), "    1  failed: [compile] it does not");
}

TEST(ResultText, AdvisesMoreTrialsOnlyIfPlansAreLeft) {
  TuneResult result = tuned();
  result.goal_met = false;
  result.reason = StopReason::MaxTrials;
  EXPECT_THAT(result_text(result),
              HasSubstr("goal. Try more\n          trials (a larger tuning.exit_policy.max_trials"));
  result.reason = StopReason::NoPlanLeft;
  EXPECT_THAT(result_text(result),
              HasSubstr("goal. Try\n          another tuning.strategy or a larger tuning.accuracy_criterion.\n"));
}

}  // namespace
}  // namespace lpot
