// Chooses a plan without labels, for models that are quantized once.
//
//   const Plan plan = choose_without_labels(task, choices, builder, statistics_by_plan, observer);
//
// The candidates are the first plan of a search, the same with recipes that the configuration leaves open (not those
// that need another calibration pass), and with the best recipes every other range estimator, also one with an
// estimator for each tensor (quantize/range_choice.h). The one whose outputs are nearest to those of the fp32 model on
// calibration samples wins. A range that clips moves the outputs far and may still keep the answers, so this choice is
// careful: a clipped range wins only if it is better in spite of that.
//
// Measured with 300 calibration samples, first plan and chosen plan (`lpot quantize`, then `lpot evaluate`):
// benchmarks/README.md, "Quantizing without labels".
#pragma once
#include "lpot/core/observer.h"
#include "lpot/plan/search_space.h"
#include "lpot/tune/candidate_builder.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

// Returns the first plan if the configuration leaves no recipe open, or if the model is so large that compiling
// candidates takes long.
Plan choose_without_labels(const QuantizationTask&, const PlanChoices&, CandidateBuilder&, const StatisticsByPlan&,
                           const Observer&);

}  // namespace lpot
