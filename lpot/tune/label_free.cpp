#include "lpot/tune/label_free.h"

#include <fmt/format.h>

#include "lpot/core/large_models.h"
#include "lpot/quantize/range_choice.h"
#include "lpot/strategies/common.h"
#include "lpot/tune/output_probe.h"

namespace lpot {
namespace {

constexpr std::size_t kSamplesToCompare = 32;  // more cost time, fewer make the choice depend on chance

// A candidate replaces a simpler one only if its distance is this much smaller. Smaller differences may be chance,
// because the distance is a mean over few samples.
constexpr double kClearlyNearer = 0.95;

// The schemes that differ from the preferred one only in the range estimator of activations.
std::vector<OpPlan> other_estimators(const PlanChoices& choices) {
  std::vector<OpPlan> found;
  for (const auto* all : {&choices.model_choices, &choices.more_model_choices})
    for (const OpPlan& choice : *all) {
      OpPlan preferred_with_estimator = choices.model_choices.front();
      preferred_with_estimator.activation.algorithm = choice.activation.algorithm;
      if (choice == preferred_with_estimator && choice != choices.model_choices.front()) found.push_back(choice);
    }
  return found;
}

struct Nearest {
  Plan plan;
  double distance;
};

}  // namespace

Plan choose_without_labels(const QuantizationTask& task, const PlanChoices& choices, CandidateBuilder& builder,
                           const StatisticsByPlan& statistics, const Observer& observer) {
  const Plan first = first_plan(choices);
  if (first.int8_count() == 0 || choices.recipes.size() < 2 || task.model.size_bytes >= kLargeModel) return first;
  OutputProbe probe(task.model, task.calibration, kSamplesToCompare);
  const auto distance_of = [&](const Plan& plan) {
    return probe.distance_from_fp32(builder.model(plan), DistanceKind::Mean, observer);
  };
  const double first_distance = distance_of(first);
  Nearest nearest{first, first_distance};
  const auto consider = [&](const Plan& plan) {
    if (plan == first) return;
    if (const double distance = distance_of(plan); distance < kClearlyNearer * nearest.distance)
      nearest = {plan, distance};
  };
  // Each recipe is added to the best combination so far, except those that need another calibration pass.
  std::size_t best = 0;
  for (std::size_t bit = 1; bit < choices.recipes.size(); bit *= 2) {
    Plan plan = first;
    plan.recipes = choices.recipes.at(best | bit);
    if (!statistics.contains(plan)) continue;
    consider(plan);
    if (nearest.plan == plan) best |= bit;
  }
  SearchSpace space{choices};
  space.estimators = least_error_estimators(task.model, choices, statistics.of(first));
  const Recipes recipes = nearest.plan.recipes;
  for (const OpPlan& scheme : other_estimators(choices))
    consider(SchemeAndRecipes{scheme, false, recipes, first.sampling_size}.plan(space));
  consider(SchemeAndRecipes{choices.model_choices.front(), true, recipes, first.sampling_size}.plan(space));
  if (nearest.plan != first)
    observer.log(
        LogLevel::Info,
        fmt::format("ranges and recipes were chosen by the distance of the outputs from fp32 on {} calibration "
                    "samples: {:.4f}, and {:.4f} with the first plan of a tuning",
                    probe.samples(), nearest.distance, first_distance));
  return nearest.plan;
}

}  // namespace lpot
