#include "lpot/report/faster_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lpot/report/markdown.h"
#include "lpot/report/result.h"
#include "lpot/report/study_view.h"
#include "lpot/store/study_record.h"

namespace lpot {
namespace {

using testing::HasSubstr;
using testing::Not;
using OrderedJson = nlohmann::ordered_json;

const Goal kOnePercent{.baseline = 0.9, .tolerance = 0.01};  // at least 0.891

Trial trial(std::size_t number, double accuracy, double speedup, bool complete = true) {
  Trial trial;
  trial.number = number;
  trial.result = Measurement{};
  trial.result->accuracy = accuracy;
  trial.result->metrics = {{"topk 1", accuracy}};
  trial.result->speedup = speedup;
  trial.result->latency_ms = 1 / speedup;
  trial.result->complete = complete;
  return trial;
}

std::optional<FasterTrial> find(const std::vector<Trial>& trials, const Goal& goal = kOnePercent,
                                Objective objective = Objective::Performance) {
  return find_faster_trial(trials, *best_known(trials, goal, objective), goal, objective);
}

TEST(FasterTrial, NamesTheGoalThatAcceptsATrialThatMissesByLittle) {
  const auto faster = find({trial(1, 0.895, 1.5), trial(2, 0.8895, 2.7)});
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->number, 2u);
  EXPECT_EQ(faster->finding, "Trial 2 is 1.80 x faster than the returned model and misses the goal by 0.0015.");
  EXPECT_EQ(faster->advice, "A goal of 1.2% accepts it (tuning.accuracy_criterion.relative: 0.012).");
  const Goal accepting{.baseline = 0.9, .tolerance = 0.012};
  EXPECT_TRUE(accepting.met(0.8895));
}

TEST(FasterTrial, IsTheFastestThatMeetsTheNextRoundGoal) {
  const auto faster = find({trial(1, 0.895, 1), trial(2, 0.8821, 3), trial(3, 0.885, 2), trial(4, 0.881, 9)});
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->number, 2u) << "trial 4 misses 2%";
  EXPECT_EQ(faster->advice, "A goal of 2% accepts it (tuning.accuracy_criterion.relative: 0.02).");
}

TEST(FasterTrial, IsNotReportedWithinTheNoiseOfTheMeasurement) {
  EXPECT_FALSE(find({trial(1, 0.895, 2), trial(2, 0.8895, 2.05)}));
  EXPECT_FALSE(find({trial(1, 0.895, 2), trial(2, 0.8895, 1.5)}));
}

TEST(FasterTrial, IsNeverAFailedTrial) {
  Trial failed;
  failed.number = 2;
  failed.error = "[compile] no";
  EXPECT_FALSE(find({trial(1, 0.895, 2), failed}));
}

TEST(FasterTrial, ClaimsNothingExactAboutAnEstimate) {
  const auto faster = find({trial(1, 0.895, 1.5), trial(2, 0.8895, 3, false)});
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->finding, "Trial 2 may be faster than the returned model and misses the goal by about 0.0015.");
  EXPECT_EQ(faster->advice,
            "Its evaluation stopped early; to complete it, set tuning.accuracy_criterion.relative: 0.02.");
}

TEST(FasterTrial, IsNotReportedIfOnlyItsFp32RunsWereSlow) {
  Trial disturbed = trial(2, 0.8895, 38);
  disturbed.result->latency_ms = trial(1, 0.895, 1.5).result->latency_ms;
  EXPECT_FALSE(find({trial(1, 0.895, 1.5), disturbed}));
}

TEST(FasterTrial, StatesTheRatioThatLatenciesAndSpeedupsSupport) {
  Trial faster = trial(2, 0.8895, 9);
  faster.result->latency_ms = trial(1, 0.895, 1.5).result->latency_ms / 2;
  EXPECT_THAT(find({trial(1, 0.895, 1.5), faster})->finding, HasSubstr("Trial 2 is 2.00 x faster than"));
}

TEST(FasterTrial, PrefersAMeasuredTrialToAFasterEstimate) {
  const auto faster = find({trial(1, 0.895, 1.5), trial(2, 0.8895, 3, false), trial(3, 0.8895, 2)});
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->number, 3u);
}

TEST(FasterTrial, NamesTheObjectiveIfItMeetsTheGoal) {
  Trial small = trial(1, 0.895, 1), fast = trial(2, 0.892, 2);
  small.result->size_bytes = 10;
  fast.result->size_bytes = 20;
  EXPECT_FALSE(find({small, fast})) << "the objective is the speed, so trial 2 is returned";
  for (const bool any_accuracy : {false, true}) {
    Goal goal = kOnePercent;
    goal.performance_only = any_accuracy;
    const auto faster = find({small, fast}, goal, Objective::ModelSize);
    ASSERT_TRUE(faster);
    EXPECT_EQ(faster->finding, "Trial 2 is 2.00 x faster than the returned model and meets the goal too.");
    EXPECT_EQ(faster->advice, "To select models by speed, set tuning.objective: performance.");
  }
}

TEST(FasterTrial, SupportsAbsoluteGoalsOfErrorsAndGoalsWithoutTolerance) {
  const Goal error{.baseline = 2, .tolerance = 0.5, .relative = false, .higher_is_better = false};
  const auto faster = find({trial(1, 2.4, 1), trial(2, 2.61, 2), trial(3, 3.1, 3)}, error);
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->finding, "Trial 2 is 2.00 x faster than the returned model and misses the goal by 0.11.");
  EXPECT_EQ(faster->advice, "A goal of 0.61 accepts it (tuning.accuracy_criterion.absolute: 0.61).");
  const Goal lossless{.baseline = 0.9, .tolerance = 0};
  EXPECT_TRUE(find({trial(1, 0.9, 1), trial(2, 0.8992, 2)}, lossless));
  EXPECT_FALSE(find({trial(1, 0.9, 1), trial(2, 0.899, 2)}, lossless));
  const Goal zero{.baseline = 0, .tolerance = 0, .relative = false, .higher_is_better = false};
  EXPECT_FALSE(find({trial(1, 0, 1), trial(2, 0.1, 2)}, zero));
}

TEST(FasterTrial, IsInTheResultOfATuning) {
  TuneResult result;
  result.goal = kOnePercent;
  result.goal_met = true;
  result.model = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";
  result.model_bytes = 1;
  result.baseline = *trial(0, 0.9, 1).result;
  result.trials = {trial(1, 0.8895, 3), trial(2, 0.895, 1.5)};
  result.best = result.trials.back();
  EXPECT_THAT(result_text(result),
              HasSubstr("faster    Trial 1 is 2.00 x faster than the returned model and misses the goal\n"
                        "          by 0.0015. A goal of 1.2% accepts it\n"
                        "          (tuning.accuracy_criterion.relative: 0.012).\n"));
  EXPECT_EQ(OrderedJson::parse(result_json(result))["faster_trial"]["trial"], 1);
  result.trials.erase(result.trials.begin());
  EXPECT_THAT(result_text(result), Not(HasSubstr("faster    ")));
  EXPECT_FALSE(OrderedJson::parse(result_json(result)).contains("faster_trial"));
}

TEST(FasterTrial, IsInTheReportOfAStudyThatHasEnded) {
  const auto store = create_memory_store();
  const StudyId id = store->create_study({"net", "00ff", "data", "{}"});
  StudyWriter writer(*store, id);
  writer.set_about({.model = "net.onnx", .format = "onnx", .metric = "topk 1", .goal = kOnePercent});
  writer.set_baseline(*trial(0, 0.9, 1).result);
  writer.append(trial(1, 0.8895, 3));
  writer.append(trial(2, 0.895, 1.5));
  const auto view = [&] { return report_view(*store, find_study(*store, id)); };
  EXPECT_FALSE(view().contains("faster_trial")) << "the search may still find a faster model";
  writer.set_end(2, {"the goal is met", "best/model.xml", 1});
  EXPECT_EQ(view()["faster_trial"],
            "Trial 1 is 2.00 x faster than the returned model and misses the goal by 0.0015. A goal of 1.2% accepts it "
            "(tuning.accuracy_criterion.relative: 0.012).");
  EXPECT_THAT(report_markdown(view()), HasSubstr("Trial 1 is 2.00 x faster than the returned model"));
}

}  // namespace
}  // namespace lpot
