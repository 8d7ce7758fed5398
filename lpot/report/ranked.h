// The candidates that a search ranked (plan/ranked_candidates.h) and the probes of a study, as JSON and as text. Shared
// by the text after a run, result.json and the view of a study.
//
//   const TuneResult result = tune(config, {.model = "resnet20.onnx"});
//   const auto candidates = ranked_candidates(result.probes, result.trials, result.goal);
//   for (const std::string& line : ranked_lines(candidates, result.trials, nullptr)) std::cout << line << "\n";
//
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "lpot/plan/ranked_candidates.h"

namespace lpot {

// [{ranges, recipes, precision, not_int8, estimated_accuracy, error, samples, distance, trial}], the best first.
// precision: that of everything that is not int8. distance: null if there is an estimate. trial: null if the candidate
// was not tried.
nlohmann::ordered_json ranked_json(const std::vector<RankedCandidate>&);

// A short list of the best candidates, for terminals:
//
// | 11 candidates by estimated accuracy; all of them are in the report:
// | kl + fast_bias_correction  0.7065 +- 0.004  trial 2: 0.7051
// | mse                        0.7059 +- 0.004  not tried
//
// `best`: the returned trial, which is in the list even if others have better estimates; nullptr: none. A label has
// only those recipes that some candidates do not have. Empty if there are no candidates.
std::vector<std::string> ranked_lines(const std::vector<RankedCandidate>&, std::span<const Trial>, const Trial* best);

// What the probes of a study did: "15: 11 estimated the accuracy, 4 compared the outputs with fp32; all on a few
// samples".
std::string probes_text(std::span<const Probe>);

// "activations: kl; weights: minmax per channel; recipes: fast_bias_correction".
std::string ranges_and_recipes(const Plan&);

}  // namespace lpot
