// The best trial of a study that meets no goal: evaluated early to an end, then exactly, whatever stops the search.
#include "lpot/core/error.h"
#include "tests/tune/study_test.h"

namespace lpot {
namespace {

using testing::SizeIs;

Measurement estimated(double accuracy) {
  Measurement result = measured(accuracy);
  result.complete = false;
  return result;
}

TEST_F(StudyTest, TheBestThatEndedEarlyGetsItsExactScoreAtTheEnd) {
  options_.exit_policy.max_trials = 3;
  StudyWork work{in_turn({estimated(0.6), estimated(0.7), measured(0.65)})};
  int completed = 0;
  work.complete = [&](const Plan&, const Observer&) {
    ++completed;
    return measured(0.62);
  };
  std::vector<std::size_t> told;
  const StudyEvents events{nullptr, [&](const Trial& best) { told.push_back(best.number); }};
  const auto go = [&] { return Study(*store_, id_, options_).run(*make_basic_strategy(), work, events); };
  const StudyOutcome outcome = go();
  // Trial 2 was thought the best and is not; trial 3 is, and is exact.
  EXPECT_EQ(completed, 1);
  EXPECT_EQ(outcome.best->number, 3u);
  EXPECT_DOUBLE_EQ(outcome.trials[1].result->accuracy, 0.62);
  EXPECT_THAT(told, testing::ElementsAre(3));
  EXPECT_EQ(go().best->number, 3u);
  EXPECT_EQ(completed, 1) << "it is kept";
}

TEST_F(StudyTest, TheSearchLeavesTimeForTheExactScoreOfTheBest) {
  options_.exit_policy.timeout_seconds = 1000;
  StudyWork work{in_turn({estimated(0.6)})};
  work.complete = [](const Plan&, const Observer& observer) {
    observer.check_stop();
    return measured(0.62);
  };
  work.complete_seconds = [](const Trial&) { return 1000.0; };
  const StudyOutcome outcome = Study(*store_, id_, options_).run(*make_basic_strategy(), work);
  EXPECT_EQ(outcome.reason, StopReason::Timeout);
  ASSERT_THAT(outcome.trials, SizeIs(1)) << "no time for another";
  EXPECT_TRUE(outcome.best->result->complete);
}

TEST_F(StudyTest, TheFirstExactScoreIsMadeWhateverTheTimeout) {
  options_.exit_policy.timeout_seconds = 1e-6;
  StudyWork work{in_turn({estimated(0.6)})};
  work.complete = [](const Plan&, const Observer& observer) {
    observer.check_stop();
    return measured(0.62);
  };
  const StudyOutcome outcome = Study(*store_, id_, options_).run(*make_basic_strategy(), work);
  EXPECT_EQ(outcome.reason, StopReason::Timeout);
  EXPECT_TRUE(outcome.best->result->complete);
}

// The first of two estimates turns out lower than the second, whose exact score there is no time for.
TEST_F(StudyTest, ATimeoutLeavesTheBestOfTheExactlyMeasured) {
  options_.exit_policy.timeout_seconds = 1000;
  StudyWork work{in_turn({estimated(0.7), estimated(0.65)})};
  bool has_scored = false;
  work.complete_seconds = [&](const Trial&) { return store_->trials(id_).size() < 2 ? 0.0 : 1000.0; };
  work.complete = [&](const Plan&, const Observer&) {
    if (has_scored) throw Interrupted{};
    has_scored = true;
    return measured(0.6);
  };
  const StudyOutcome outcome = Study(*store_, id_, options_).run(*make_basic_strategy(), work);
  ASSERT_THAT(outcome.trials, SizeIs(2));
  EXPECT_EQ(outcome.best->number, 1u);
  EXPECT_DOUBLE_EQ(outcome.best->result->accuracy, 0.6);
}

}  // namespace
}  // namespace lpot
