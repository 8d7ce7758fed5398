// Finds a faster model that a slightly different configuration would accept, so that the report can mention it.
//
//   const Goal goal{.baseline = 0.9173, .tolerance = 0.01};
//   if (const auto faster = find_faster_trial(trials, trials.back(), goal, Objective::Performance))
//     std::cout << faster->finding << " " << faster->advice << "\n";
//
// There are two cases, and the first one is preferred:
//
// - The trial meets the goal, but tuning.objective is not the speed.
// - The trial misses the goal, but meets the next looser round goal: 1%, 2%, 5%, 10%, ...
//
// Only measured trials of the study are considered. If the evaluation of a trial stopped early, its accuracy and
// its speed are rough, so the text states no ratio.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "lpot/plan/goal.h"
#include "lpot/store/store.h"

namespace lpot {

struct FasterTrial {
  std::size_t number = 0;
  std::string finding;  // "Trial 3 is 1.80 x faster than the returned model and misses the goal by 0.002."
  std::string advice;   // "A goal of 1.2% accepts it (tuning.accuracy_criterion.relative: 0.012)."
};

// The fastest such trial. `best`: the trial of the returned model.
std::optional<FasterTrial> find_faster_trial(std::span<const Trial>, const Trial& best, const Goal&, Objective);

// The view of a study (study_view.h). If the study has ended with such a trial, the key "faster_trial" has the text.
nlohmann::ordered_json report_view(const Store&, const StudyEntry&);

}  // namespace lpot
