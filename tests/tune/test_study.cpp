#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "lpot/core/error.h"
#include "tests/tune/study_test.h"

namespace lpot {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::vector<Plan> plans_of(const std::vector<Trial>& trials) {
  std::vector<Plan> plans;
  for (const Trial& trial : trials) plans.push_back(trial.plan);
  return plans;
}

TEST_F(StudyTest, WithoutATimeoutTheFirstTrialThatMeetsTheGoalEndsIt) {
  const StudyOutcome outcome = run(in_turn({measured(0.5), measured(0.79), measured(0.8), measured(0.9)}));
  EXPECT_EQ(outcome.reason, StopReason::GoalMet);
  EXPECT_TRUE(outcome.goal_met);
  EXPECT_THAT(outcome.trials, SizeIs(3));
  EXPECT_EQ(outcome.best->number, 3u);
}

TEST_F(StudyTest, WithATimeoutItGoesOnToMaxTrialsAndTheObjectiveDecides) {
  options_.exit_policy.timeout_seconds = 1000;
  options_.exit_policy.max_trials = 4;
  const std::vector<Measurement> results{measured(0.85, 1.0, 300, 300), measured(0.82, 3.0, 200, 200),
                                         measured(0.81, 2.0, 100, 400), measured(0.83, 1.5, 400, 100)};
  for (const auto& [objective, best] :
       {std::pair(Objective::Performance, 2u), {Objective::ModelSize, 3u}, {Objective::Footprint, 4u}}) {
    options_.objective = objective;
    id_ = store_->create_study({"net", "f1", "data", "{}"});
    const StudyOutcome outcome = run(in_turn(results));
    EXPECT_EQ(outcome.reason, StopReason::MaxTrials);
    EXPECT_TRUE(outcome.goal_met);
    EXPECT_THAT(outcome.trials, SizeIs(4));
    EXPECT_EQ(outcome.best->number, best);
  }
}

TEST_F(StudyTest, AFunctionOfTheCallersThatFailsThreeTimesInARowEndsIt) {
  std::size_t asked = 0;
  const StudyOutcome outcome = run([&](const Plan&, const Observer&) -> Measurement {
    if (++asked == 2) return measured(0.5);
    throw CallerError("eval_func", "raised ValueError");
  });
  EXPECT_EQ(outcome.reason, StopReason::CallerFailed);
  EXPECT_THAT(outcome.trials, SizeIs(5));  // the second one succeeded, so it is the three behind it that count
  EXPECT_THAT(outcome.trials.back().error, HasSubstr("raised ValueError"));
  EXPECT_EQ(outcome.best->number, 2u);
}

TEST_F(StudyTest, AnotherErrorBetweenFailuresOfTheCallersFunctionEndsTheRow) {
  options_.exit_policy.max_trials = 4;
  std::size_t asked = 0;
  const StudyOutcome outcome = run([&](const Plan&, const Observer&) -> Measurement {
    if (++asked == 3) throw ModelError("compile", "this plan does not compile");
    throw CallerError("eval_func", "raised ValueError");
  });
  EXPECT_EQ(outcome.reason, StopReason::MaxTrials);
  EXPECT_THAT(outcome.trials, SizeIs(4));
}

TEST_F(StudyTest, PerformanceOnlyIsMetByTheFirstTrial) {
  options_.goal.performance_only = true;
  EXPECT_THAT(run(in_turn({measured(0.0)})).trials, SizeIs(1));
}

TEST_F(StudyTest, WhenTheGoalIsNotMetTheMostAccurateIsReturned) {
  options_.exit_policy.max_trials = 3;
  const StudyOutcome outcome = run(in_turn({measured(0.5, 9), measured(0.7, 1), measured(0.6, 5)}));
  EXPECT_EQ(outcome.reason, StopReason::MaxTrials);
  EXPECT_FALSE(outcome.goal_met);
  EXPECT_EQ(outcome.best->number, 2u);
}

TEST_F(StudyTest, EndsWhenTheStrategyHasNothingLeft) {
  options_.exit_policy.max_trials = 1000;
  const StudyOutcome outcome = run(in_turn({measured(0.5)}));
  EXPECT_EQ(outcome.reason, StopReason::NoPlanLeft);
  EXPECT_LT(outcome.trials.size(), 1000u);
}

TEST_F(StudyTest, AFailedTrialIsARecordAndTheStudyGoesOn) {
  options_.exit_policy.max_trials = 3;
  std::size_t calls = 0;
  const StudyOutcome outcome = run([&](const Plan&, const Observer&) {
    if (++calls == 2) throw ModelError("compile", "this plan does not compile");
    return measured(0.5);
  });
  EXPECT_THAT(outcome.trials, SizeIs(3));
  const Trial failed = store_->trials(id_).at(1);
  EXPECT_FALSE(failed.result);
  EXPECT_EQ(failed.error, "[compile] this plan does not compile");
}

TEST_F(StudyTest, ThereIsNoBestWhenEveryTrialFailed) {
  const StudyOutcome outcome = run([](const Plan&, const Observer&) -> Measurement { throw DataError("infer", "no"); });
  EXPECT_FALSE(outcome.best);
  EXPECT_FALSE(outcome.goal_met);
  EXPECT_FALSE(outcome.trials.empty());
}

TEST_F(StudyTest, AnAccuracyThatIsNotANumberIsAFailedTrial) {
  options_.exit_policy.max_trials = 2;
  const StudyOutcome outcome = run(in_turn({measured(std::nan("")), measured(0.5)}));
  EXPECT_FALSE(outcome.trials[0].result);
  EXPECT_THAT(outcome.trials[0].error, HasSubstr("not a finite number"));
  EXPECT_EQ(outcome.best->number, 2u);
}

TEST_F(StudyTest, AStoreErrorEndsTheStudyAndKeepsWhatIsStored) {
  std::size_t calls = 0;
  const Attempt attempt = [&](const Plan&, const Observer&) {
    if (++calls == 3) throw StoreError("write", "disk full");
    return measured(0.5);
  };
  EXPECT_THROW(run(attempt), StoreError);
  EXPECT_THAT(store_->trials(id_), SizeIs(2));
}

TEST_F(StudyTest, ADeadWorkerEndsTheStudyWithoutAFailedTrial) {
  std::size_t calls = 0;
  const Attempt attempt = [&](const Plan&, const Observer&) {
    if (++calls == 3) throw DistributedError("distributed", "rank 1 has ended");
    return measured(0.5);
  };
  EXPECT_THROW(run(attempt), DistributedError);
  EXPECT_THAT(store_->trials(id_), SizeIs(2));
}

TEST_F(StudyTest, AStoreErrorWhileSavingTheBestEndsItTooAndTheTrialIsKept) {
  const StudyEvents events{[](const Trial&, bool) { throw StoreError("save_model", "disk full"); }};
  EXPECT_THROW(run(in_turn({measured(0.5)}), events), StoreError);
  EXPECT_THAT(store_->trials(id_), SizeIs(1));
}

TEST_F(StudyTest, EachTrialIsStoredBeforeItIsReportedAndTheNewBestIsMarked) {
  options_.exit_policy.max_trials = 4;
  std::vector<bool> told;
  const StudyEvents events{[&](const Trial& trial, bool is_best) {
    EXPECT_EQ(store_->trials(id_).size(), trial.number);
    told.push_back(is_best);
  }};
  run(in_turn({measured(0.5), measured(0.4), measured(0.6), measured(0.6)}), events);
  EXPECT_THAT(told, testing::ElementsAre(true, false, true, false));
}

TEST_F(StudyTest, ResumedAfterAnyTrialItGivesTheSameList) {
  const Attempt attempt = [](const Plan& plan, const Observer&) { return measured(fake_accuracy(plan) * 0.7); };
  const StudyOutcome whole = run(attempt);
  ASSERT_THAT(whole.trials, SizeIs(10));
  for (std::size_t kept = 0; kept <= whole.trials.size(); ++kept) {
    id_ = store_->create_study({"net", "f1", "data", "{}"});
    for (std::size_t i = 0; i < kept; ++i) store_->append(id_, whole.trials[i]);
    std::size_t attempts = 0;
    const StudyOutcome resumed = run([&](const Plan& plan, const Observer& observer) {
      ++attempts;
      return attempt(plan, observer);
    });
    EXPECT_EQ(attempts, whole.trials.size() - kept);
    EXPECT_EQ(plans_of(resumed.trials), plans_of(whole.trials));
    EXPECT_EQ(plans_of(store_->trials(id_)), plans_of(whole.trials));
    EXPECT_EQ(resumed.best->number, whole.best->number);
  }
}

TEST_F(StudyTest, ResumedWithALargerBudgetItGoesOn) {
  options_.exit_policy.max_trials = 2;
  run(in_turn({measured(0.5)}));
  options_.exit_policy.max_trials = 5;
  EXPECT_THAT(run(in_turn({measured(0.5)})).trials, SizeIs(5));
  options_.exit_policy.max_trials = 3;
  EXPECT_THAT(run(in_turn({measured(0.5)})).trials, SizeIs(5));
}

TEST_F(StudyTest, ResumedAfterTheGoalWasMetItStopsAtOnce) {
  run(in_turn({measured(0.85)}));
  const StudyOutcome outcome = run([](const Plan&, const Observer&) -> Measurement {
    ADD_FAILURE() << "another trial";
    return measured(0);
  });
  EXPECT_EQ(outcome.reason, StopReason::GoalMet);
  EXPECT_EQ(outcome.best->number, 1u);
}

TEST_F(StudyTest, AnInterruptionLosesOnlyTheRunningTrial) {
  std::size_t calls = 0;
  Observer observer;
  observer.should_stop = [&] { return calls == 3; };
  const StudyOutcome outcome = run(
      [&](const Plan&, const Observer& watched) {
        ++calls;
        watched.check_stop();
        return measured(0.5);
      },
      {}, observer);
  EXPECT_EQ(outcome.reason, StopReason::Interrupted);
  EXPECT_THAT(outcome.trials, SizeIs(2));
  EXPECT_THAT(store_->trials(id_), SizeIs(2));
  EXPECT_EQ(outcome.best->number, 1u);
}

// Waits as an evaluation does: until its observer says stop.
Measurement wait_for_stop(const Observer& observer) {
  while (true) {
    observer.check_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_F(StudyTest, TheTimeoutEndsARunningTrialWhichIsNotRecorded) {
  options_.exit_policy.timeout_seconds = 0.05;
  std::size_t calls = 0;
  const StudyOutcome outcome = run(
      [&](const Plan&, const Observer& observer) { return ++calls == 1 ? measured(0.85) : wait_for_stop(observer); });
  EXPECT_EQ(outcome.reason, StopReason::Timeout);
  EXPECT_THAT(outcome.trials, SizeIs(1));
  EXPECT_TRUE(outcome.goal_met);
}

TEST_F(StudyTest, TheFirstTrialRunsToItsEndWhateverTheTimeout) {
  options_.exit_policy.timeout_seconds = 1e-6;
  const StudyOutcome outcome = run([](const Plan&, const Observer& observer) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    observer.check_stop();
    return measured(0.5);
  });
  EXPECT_EQ(outcome.reason, StopReason::Timeout);
  EXPECT_THAT(outcome.trials, SizeIs(1));
}

TEST_F(StudyTest, TimeSpentOnTheBaselineAndBeforeAResumeCountsIntoTheTimeout) {
  store_->append(id_, [] {
    Trial before = trial(1, measured(0.85));
    before.seconds = 60;
    return before;
  }());
  options_.seconds_before = 50;
  options_.exit_policy.timeout_seconds = 100;
  const StudyOutcome outcome = run([](const Plan&, const Observer&) -> Measurement {
    ADD_FAILURE() << "the time was over";
    return measured(0);
  });
  EXPECT_EQ(outcome.reason, StopReason::Timeout);
  EXPECT_THAT(outcome.trials, SizeIs(1));
}

TEST_F(StudyTest, TriesOneModelEvenIfCalibrationTookLongerThanTheTimeout) {
  options_.seconds_before = 200;
  options_.exit_policy.timeout_seconds = 100;
  const StudyOutcome outcome = run(in_turn({measured(0.5)}));
  EXPECT_EQ(outcome.reason, StopReason::Timeout);
  EXPECT_THAT(outcome.trials, SizeIs(1));
  EXPECT_TRUE(outcome.best);
}

// Always tries one more fallback before it stops.
class NeverSatisfied : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History&) const override {
    return Step{space.plan(space.model_choices.front())};
  }
  std::optional<Step> before_stopping(const SearchSpace& space, const History& history) const override {
    return Step{space.plan(space.model_choices.front(), {space.ops.at(history.trials.size() - 1).name})};
  }
};

TEST_F(StudyTest, TriesBeforeStoppingCountAsTrials) {
  for (const std::size_t most : {1u, 2u, 3u}) {
    options_.exit_policy.max_trials = most;
    id_ = store_->create_study({"net", "f1", "data", "{}"});
    const StudyOutcome outcome = Study(*store_, id_, options_).run(NeverSatisfied(), {in_turn({measured(0.85)})});
    EXPECT_EQ(outcome.reason, StopReason::GoalMet);
    EXPECT_THAT(outcome.trials, SizeIs(most));
  }
}

TEST(StopReason, EveryReasonHasItsOwnWords) {
  std::set<std::string_view> words;
  for (const StopReason reason : {StopReason::GoalMet, StopReason::MaxTrials, StopReason::Timeout,
                                  StopReason::NoPlanLeft, StopReason::Interrupted})
    EXPECT_TRUE(words.insert(to_string(reason)).second);
  EXPECT_FALSE(words.contains(""));
}

// Probes every op of the whole model's plan, one in fp32 at a time, then tries the one with the least distance.
class Prober : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    const Plan whole = space.plan(space.model_choices.front());
    if (!history.find(whole)) return Step{whole};
    const Probe* nearest = nullptr;
    for (const OpSpace& op : space.ops) {
      const Plan plan = space.plan(space.model_choices.front(), {op.name});
      const Probe* probe = history.find_probe(plan);
      if (!probe) return Step{plan, Step::Kind::Probe};
      if (!nearest || probe->distance < nearest->distance) nearest = probe;
    }
    return history.find(nearest->plan) ? std::nullopt : std::optional(Step{nearest->plan});
  }
};

TEST_F(StudyTest, ProbesAreKeptAndGoOnAfterAnyInterruption) {
  int probed = 0;
  StudyWork work{[](const Plan&, const Observer& observer) {
    observer.check_stop();
    return measured(0.5);
  }};
  work.probe = [&](const Plan& plan, int, const Observer& observer) -> double {
    observer.check_stop();
    ++probed;
    if (plan.fallback() == std::vector<std::string>{"conv2"}) throw ModelError("compile", "no");
    return plan.fallback() == std::vector<std::string>{"conv3"} ? 0.1 : 0.2;
  };
  const auto go = [&](const Observer& observer = {}) {
    return Study(*store_, id_, options_).run(Prober(), work, {}, observer);
  };
  std::set<std::size_t> interrupted_after;  // trials and probes that were stored
  for (int allowed = 0;; ++allowed) {
    id_ = store_->create_study({"net", "f1", "data", "{}"});
    probed = 0;
    int asked = 0;
    const StudyOutcome first = go({.on_log = {}, .on_progress = {}, .should_stop = [&] { return ++asked > allowed; }});
    const StudyOutcome whole = go();
    EXPECT_EQ(probed, 4) << "each once, whatever was interrupted";
    ASSERT_THAT(whole.probes, SizeIs(4));
    EXPECT_TRUE(std::isinf(whole.probes[1].distance)) << "a probe that fails is a record";
    ASSERT_THAT(whole.trials, SizeIs(2));
    EXPECT_THAT(whole.trials[1].plan.fallback(), testing::ElementsAre("conv3"));
    if (first.reason != StopReason::Interrupted) break;
    interrupted_after.insert(first.trials.size() + first.probes.size());
  }
  EXPECT_THAT(interrupted_after, testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(StudyTest, PredictsTheStepAfterAStepThatGivesTheLastResult) {
  const auto strategy = make_basic_strategy();
  const std::vector<Trial> without = run(in_turn({measured(0.5)})).trials;
  std::vector<Plan> expected;
  std::vector<std::size_t> told_before;  // trials that had begun
  std::size_t begun = 0;
  StudyWork work{[&](const Plan&, const Observer&) {
    ++begun;
    return measured(0.5);
  }};
  work.expect = [&](const Step& step) {
    expected.push_back(step.plan);
    told_before.push_back(begun);
  };
  id_ = store_->create_study({"net", "f1", "data", "{}"});
  const StudyOutcome outcome = Study(*store_, id_, options_).run(*strategy, work);
  EXPECT_EQ(plans_of(outcome.trials), plans_of(without)) << "to ask changes nothing";
  ASSERT_THAT(outcome.trials, SizeIs(options_.exit_policy.max_trials));
  ASSERT_THAT(expected, SizeIs(outcome.trials.size() - 2)) << "neither after the first trial nor after the last";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i], outcome.trials[i + 2].plan);
    EXPECT_EQ(told_before[i], i + 1);
  }
}

// Interrupted as soon as it is asked about a trial that has not run.
class InterruptedAhead : public Strategy {
 public:
  explicit InterruptedAhead(const Store& store, StudyId study) : store_(store), study_(study) {}
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    if (history.trials.size() > store_.trials(study_).size()) throw Interrupted();
    return basic_->next(space, history);
  }

 private:
  const Store& store_;
  StudyId study_;
  std::unique_ptr<Strategy> basic_ = make_basic_strategy();
};

TEST_F(StudyTest, AnInterruptWhileItAsksAheadLeavesOnlyTrialsThatRan) {
  StudyWork work{in_turn({measured(0.5)})};
  work.expect = [](const Step&) {};
  const StudyOutcome outcome = Study(*store_, id_, options_).run(InterruptedAhead(*store_, id_), work);
  EXPECT_EQ(outcome.reason, StopReason::Interrupted);
  EXPECT_THAT(outcome.trials, SizeIs(1));
  EXPECT_EQ(outcome.trials, store_->trials(id_));
}

}  // namespace
}  // namespace lpot
