// How a search ended, and with which trials.
//
//   if (outcome.best) std::cout << to_string(outcome.reason) << ", best: trial " << outcome.best->number << "\n";
//
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lpot/plan/trial.h"

namespace lpot {

using StudyId = std::int64_t;  // the number of a study in its workspace, from 1

enum class StopReason { GoalMet, MaxTrials, Timeout, NoPlanLeft, Interrupted, CallerFailed };
std::string_view to_string(StopReason);

struct StudyOutcome {
  bool goal_met = false;
  StopReason reason = StopReason::NoPlanLeft;
  std::optional<Trial> best = {};  // unset only if no trial succeeded
  std::vector<Trial> trials = {};
  std::vector<Probe> probes = {};  // plans that were only compared with fp32 on a few samples
};

}  // namespace lpot
