#include "lpot/plan/study_outcome.h"

namespace lpot {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::GoalMet:
      return "the goal is met";
    case StopReason::MaxTrials:
      return "max_trials is reached";
    case StopReason::Timeout:
      return "the timeout has expired";
    case StopReason::NoPlanLeft:
      return "the strategy has no more plans";
    case StopReason::Interrupted:
      return "it was interrupted";
    case StopReason::CallerFailed:
      return "the evaluation failed three times in a row";
  }
  return "";
}

}  // namespace lpot
