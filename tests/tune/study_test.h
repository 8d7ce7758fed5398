// A study of made-up trials in memory, for the tests of the loop.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/strategies/kinds.h"
#include "lpot/tune/study.h"
#include "tests/support/plans.h"

namespace lpot {

class StudyTest : public testing::Test {
 protected:
  StudyTest() {
    options_.space = space_of(3);
    options_.goal = {.baseline = 0.9, .tolerance = 0.1, .relative = false};  // met from 0.8 on
    options_.exit_policy.max_trials = 10;
    id_ = store_->create_study({"net", "f1", "data", "{}"});
  }

  StudyOutcome run(const Attempt& attempt, const StudyEvents& events = {}, const Observer& observer = {}) {
    return Study(*store_, id_, options_).run(*make_basic_strategy(), {attempt}, events, observer);
  }

  std::unique_ptr<Store> store_ = create_memory_store();
  StudyId id_ = 0;
  StudyOptions options_;
};

// Results in turn; the last one again and again.
inline Attempt in_turn(std::vector<Measurement> results) {
  return [results, next = std::size_t{0}](const Plan&, const Observer&) mutable {
    return results[std::min(next++, results.size() - 1)];
  };
}

}  // namespace lpot
