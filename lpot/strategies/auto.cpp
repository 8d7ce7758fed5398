// auto: finds the fastest plan that meets the goal with as few evaluations as possible.
//
// A trial evaluates a plan on all data. Two kinds of probes are cheaper. A probe of level 0 measures, on a few samples,
// the distance of the outputs from those of the fp32 model. Probes of level 1 and 2 estimate the loss of accuracy from
// samples that can change it (evaluate/loss_sample.h, which also has the validation of that estimate). They find plans
// that are worth a trial.
//
// Steps. Each is explained at the function that implements it.
// 1. Try the preferred scheme for the whole model.                     search_for_goal
// 2. Rank other range estimators and recipes for the whole model.      rank_plans
// 3. Try those that probably meet the goal.                            try_ranked
// 4. Find the ops whose fallback costs least time and probably         choose_fallback (auto_fallback.h)
//    meets the goal. If the plan fails, correct the prediction and
//    try a larger set.
// 5. Before stopping with a slow plan: try the other plans of step 2   try_faster_candidates, try_smaller_fallback
//    that may meet the goal, then smaller fallback sets.
// 6. With a time budget, return ops to int8 one by one.                return_ops_to_int8
//
// All plans of steps 2 and 3 have all ops in int8, so they are faster than those of step 4.
//
// Cost: one evaluation if the first plan meets the goal, else a few more. Evaluations that fail end early.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "lpot/strategies/auto_fallback.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

constexpr double kWorthSpeed = 0.1;              // share of the latency that a faster plan must save
constexpr std::size_t kFinalists = 3;            // plans that are estimated again with more samples
constexpr std::size_t kMaxRankedTrials = 4;      // ranked plans that are tried before ops fall back
constexpr std::size_t kMaxSmallerFallbacks = 2;  // trials of try_smaller_fallback
constexpr double kDistanceError = 0.25;          // relative error of a loss that is computed from a distance

// A plan for the whole model and what its probe says.
struct RankedPlan {
  SchemeAndRecipes scheme;
  Plan plan;
  double loss = 0, error = 0;  // of accuracy

  double probability_to_pass(double allowed_loss) const {
    if (!std::isfinite(loss)) return 0;  // its probe failed
    if (error <= 0) return loss <= allowed_loss ? 1 : 0;
    return std::erfc((loss - allowed_loss) / error / std::numbers::sqrt2) / 2;
  }
};

// The schemes that differ from the preferred one in the activations or in the weights, but not in both. Weights with
// one scale for the whole tensor are never better, so they are left out.
std::vector<OpPlan> alternatives(const SearchSpace& space) {
  const OpPlan& preferred = space.model_choices.front();
  std::vector<OpPlan> found;
  for (const auto* choices : {&space.model_choices, &space.more_model_choices})
    for (const OpPlan& choice : *choices)
      if (choice.weight.granularity == preferred.weight.granularity &&
          (choice.activation == preferred.activation) != (choice.weight == preferred.weight))
        found.push_back(choice);
  return found;
}

// Computes one step of the strategy.
class Search {
 public:
  Search(const SearchSpace& space, const History& history)
      : space_(space), history_(history), replay_(space, history) {}

  std::optional<Step> step() {
    if (history_.met()) {
      if (history_.has_budget) return_ops_to_int8();
    } else {
      search_for_goal();
    }
    return replay_.step();
  }

  std::optional<Step> step_before_stopping() {
    if (try_faster_candidates()) try_smaller_fallback();
    return replay_.step();
  }

 private:
  const Trial* trial(const Plan& plan) {
    return replay_.trial(key_of(plan), [&] { return plan; });
  }

  // Step 1: try the preferred scheme for the whole model. If it meets the goal, the search ends.
  void search_for_goal() {
    const std::vector<WholeModelPlan> plans = whole_model_plans(space_);
    if (plans.empty()) return;
    const Plan first = plans.front().plan(space_);
    const Trial* tried = trial(first);
    if (!tried) return;
    if (!tried->result) {
      const Trial* other = first_successful(plans);
      if (other) fall_back(StartingPlan(other->plan));
      return;
    }
    auto ranked = rank_plans(first);
    if (!ranked || !try_ranked(*ranked, kMaxRankedTrials)) return;
    fall_back(choose_start(first, *ranked));
  }

  // Step 4.
  void fall_back(const StartingPlan& start) {
    if (const auto plan = choose_fallback(replay_, start)) trial(*plan);
  }

  // Step 2: first the recipes, with the preferred scheme, where each is added to the best combination so far; then the
  // other schemes, with the best recipes; then a mixed scheme, in which every tensor has its own range estimator; then
  // the best scheme for activations together with the best scheme for weights. This list is short, because a recipe
  // that helps one scheme helps the others too. The best plans are estimated again with more samples. Best first.
  std::optional<std::vector<RankedPlan>> rank_plans(const Plan& first) {
    std::vector<RankedPlan> ranked;
    const OpPlan& preferred = space_.model_choices.front();
    const std::vector<OpPlan> others = alternatives(space_);
    const std::size_t sizes = space_.sampling_sizes.size();
    std::size_t ahead = std::bit_width(space_.recipes.size()) + sizes + others.size() + 1 + kFinalists;
    const auto add = [&](const SchemeAndRecipes& scheme) { return rank(scheme, first, ahead--, ranked); };
    const auto add_with = [&](const Recipes& recipes) {
      return add({preferred, false, recipes, space_.sampling_sizes.front()});
    };
    if (!add_with(space_.recipes.front())) return std::nullopt;
    for (std::size_t bit = 1; bit < space_.recipes.size(); bit *= 2)
      if (!add_with(with_one_more(least_loss(ranked).scheme.recipes, bit))) return std::nullopt;
    const Recipes recipes = least_loss(ranked).scheme.recipes;
    for (std::size_t i = 1; i < sizes; ++i)
      if (!add({preferred, false, recipes, space_.sampling_sizes[i]})) return std::nullopt;
    const std::size_t sampling_size = least_loss(ranked).scheme.sampling_size;
    for (const OpPlan& choice : others)
      if (!add({choice, false, recipes, sampling_size})) return std::nullopt;
    if (!add({preferred, true, recipes, sampling_size})) return std::nullopt;
    if (!add(combined(ranked))) return std::nullopt;
    return with_more_samples(std::move(ranked), first);
  }

  // The combination of recipes that also has the recipe of this bit (plan/recipe_choices.h).
  const Recipes& with_one_more(const Recipes& recipes, std::size_t bit) const {
    const auto found = std::find(space_.recipes.begin(), space_.recipes.end(), recipes);
    return space_.recipes.at(static_cast<std::size_t>(found - space_.recipes.begin()) | bit);
  }

  static const RankedPlan& least_loss(const std::vector<RankedPlan>& ranked) {
    return *std::min_element(ranked.begin(), ranked.end(),
                             [](const RankedPlan& a, const RankedPlan& b) { return a.loss < b.loss; });
  }

  // The activation scheme of the best plan, with the weight scheme that loses least with the preferred activations.
  SchemeAndRecipes combined(const std::vector<RankedPlan>& ranked) const {
    const OpPlan& preferred = space_.model_choices.front();
    SchemeAndRecipes result = least_loss(ranked).scheme;
    const RankedPlan* best_weights = nullptr;
    for (const RankedPlan& plan : ranked)
      if (plan.scheme.choice.activation == preferred.activation && !plan.scheme.mixed &&
          (!best_weights || plan.loss < best_weights->loss))
        best_weights = &plan;
    if (best_weights) result.choice.weight = best_weights->scheme.choice.weight;
    return result;
  }

  // Adds the plan with its estimated loss, unless an equal plan is there. false: the probe becomes the next step.
  bool rank(const SchemeAndRecipes& scheme, const Plan& first, std::size_t ahead, std::vector<RankedPlan>& ranked) {
    RankedPlan candidate{scheme, scheme.plan(space_)};
    if (candidate.plan.int8_count() == 0) return true;
    for (const RankedPlan& known : ranked)
      if (known.plan == candidate.plan) return true;
    if (!estimate(candidate, first, 1, ahead)) return false;
    ranked.push_back(std::move(candidate));
    return true;
  }

  bool estimate(RankedPlan& candidate, const Plan& first, int level, std::size_t ahead) {
    const Probe* probe = replay_.probe(candidate.plan, level, ahead);
    if (!probe) return false;
    if (probe->loss) {
      candidate.loss = *probe->loss;
      candidate.error = probe->loss_error;
      return true;
    }
    // Only a distance is known. The first plan has both, and the loss is assumed to be proportional.
    const Probe* of_first = replay_.probe(first, 1, ahead);
    if (!of_first) return false;
    const double loss_of_first = history_.goal.loss(history_.find(first)->result->accuracy);
    const bool is_comparable = of_first->distance > 0 && std::isfinite(of_first->distance);
    candidate.loss = !std::isfinite(probe->distance) ? std::numeric_limits<double>::infinity()
                     : is_comparable                 ? loss_of_first * probe->distance / of_first->distance
                                                     : 0;
    candidate.error = kDistanceError * candidate.loss;
    return true;
  }

  std::optional<std::vector<RankedPlan>> with_more_samples(std::vector<RankedPlan> ranked, const Plan& first) {
    const auto by_loss = [](const RankedPlan& a, const RankedPlan& b) { return a.loss < b.loss; };
    std::stable_sort(ranked.begin(), ranked.end(), by_loss);
    const std::size_t finalists = std::min(kFinalists, ranked.size());
    for (std::size_t i = 0; i < finalists; ++i) {
      const Probe* known = history_.find_probe(ranked[i].plan, 1);
      if (!known || !known->loss) return ranked;  // more samples do not make a distance more precise
      if (!estimate(ranked[i], first, 2, finalists - 1 - i)) return std::nullopt;
    }
    std::stable_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(finalists), by_loss);
    return ranked;
  }

  // Step 3: tries at most that many plans. false: a trial becomes the next step.
  bool try_ranked(const std::vector<RankedPlan>& ranked, std::size_t most) {
    std::size_t tried = 0;
    for (const RankedPlan& candidate : ranked) {
      if (tried >= most) break;
      if (candidate.probability_to_pass(history_.goal.allowed_loss()) <= kWorthATrial) continue;
      ++tried;
      if (!trial(candidate.plan)) return false;
    }
    return true;
  }

  // The plan with the least loss, known from its trial or estimated.
  StartingPlan choose_start(const Plan& first, const std::vector<RankedPlan>& ranked) const {
    const Plan* best = &first;
    double least = history_.goal.loss(history_.find(first)->result->accuracy);
    for (const RankedPlan& candidate : ranked) {
      const Trial* tried = history_.find(candidate.plan);
      if (tried && !tried->result) continue;
      const double loss = tried ? history_.goal.loss(tried->result->accuracy) : candidate.loss;
      if (loss >= least) continue;
      least = loss;
      best = &candidate.plan;
    }
    return StartingPlan(*best, least);
  }

  const Trial* first_successful(const std::vector<WholeModelPlan>& plans) {
    for (const WholeModelPlan& plan : plans) {
      const Trial* tried = replay_.trial(plan.key, [&] { return plan.plan(space_); });
      if (!tried || tried->result) return tried;
    }
    return nullptr;
  }

  // The fastest trial that meets the goal, or nullptr.
  const Trial* fastest() const {
    const Trial* best = nullptr;
    for (const Trial& each : history_.trials)
      if (each.result && history_.goal.met(each.result->accuracy) &&
          (!best || each.result->speedup > best->result->speedup))
        best = &each;
    return best;
  }

  struct Returnable {
    std::string op;
    OpPlan choice;
    double saved_ms;
  };

  // The fallback ops of a plan that may be int8, the op that saves most time first.
  std::vector<Returnable> returnable_ops(const Plan& plan) const {
    const auto int8_op =
        std::find_if(plan.ops.begin(), plan.ops.end(), [](const auto& op) { return op.second.is_int8(); });
    const OpPlan wanted = int8_op == plan.ops.end() ? space_.model_choices.front() : int8_op->second;
    std::vector<Returnable> found;
    for (const OpSpace& op : space_.ops) {
      const OpPlan& choice = op.most_similar_of_all(wanted);
      if (choice.is_int8() && !plan.ops.at(op.name).is_int8())
        found.push_back({op.name, choice, saved_ms(space_, op.name)});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Returnable& a, const Returnable& b) { return a.saved_ms > b.saved_ms; });
    return found;
  }

  // Step 5: step 3 tries only some of the ranked plans. If the best plan is clearly slower than the first one, which
  // has all ops in int8 like every ranked plan, the others are worth a trial too. false: a trial becomes the next step.
  bool try_faster_candidates() {
    const Trial* best = fastest();
    const std::vector<WholeModelPlan> plans = whole_model_plans(space_);
    if (!best || plans.empty() || best->plan.inference_precision != space_.inference_precision) return true;
    const Plan first = plans.front().plan(space_);
    const Trial* tried = history_.find(first);
    if (!tried || !tried->result || tried->result->speedup <= (1 + kWorthSpeed) * best->result->speedup) return true;
    const auto ranked = rank_plans(first);
    return ranked && try_ranked(*ranked, ranked->size());
  }

  // Step 5: the fallback ops of the best plan cost time. A smaller set that saves enough of it may meet the goal too.
  void try_smaller_fallback() {
    const Trial* best = fastest();
    const std::vector<WholeModelPlan> plans = whole_model_plans(space_);
    if (!best || best->plan.int8_count() == 0 || plans.empty() || space_.saved_ms.empty()) return;
    const auto met_first = std::find_if(history_.trials.begin(), history_.trials.end(), [&](const Trial& each) {
      return each.result && history_.goal.met(each.result->accuracy);
    });
    if (history_.trials.end() - met_first > static_cast<std::ptrdiff_t>(kMaxSmallerFallbacks)) return;
    const auto start = start_of(*best, plans.front().plan(space_));
    if (!start) return;
    const FasterThan limit{&best->plan, kWorthSpeed * best->result->latency_ms};
    if (const auto plan = choose_fallback(replay_, *start, limit)) trial(*plan);
  }

  // The whole-model plan that the ops of this trial fell back from; nullopt: none, or a step is needed first.
  std::optional<StartingPlan> start_of(const Trial& best, const Plan& first) {
    const Trial* tried = history_.find(first);
    if (!tried || !tried->result || best.plan.fallback() == first.fallback()) return std::nullopt;
    const auto ranked = rank_plans(first);
    if (!ranked) return std::nullopt;
    for (const RankedPlan& candidate : *ranked)
      if (const StartingPlan start(candidate.plan, candidate.loss); is_fallback_of(start, best.plan)) return start;
    return std::nullopt;
  }

  // Step 6: with a time budget, once the goal is met. Takes the fastest trial that meets the goal and returns one more
  // op to int8, the op that saves most time first.
  void return_ops_to_int8() {
    const Trial* best = fastest();
    const PlanKey key = key_of(best->plan);
    for (const auto& [op, choice, saved] : returnable_ops(best->plan)) {
      const auto returned_plan = [&, &op = op, &choice = choice] {
        Plan plan = best->plan;
        plan.ops.at(op) = choice;
        return plan;
      };
      if (saved >= 0 && !replay_.trial(key.with(op, best->plan.ops.at(op), choice), returned_plan)) return;
    }
  }

  const SearchSpace& space_;
  const History& history_;
  Replay replay_;
};

class Auto : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    return Search(space, history).step();
  }
  std::optional<Step> before_stopping(const SearchSpace& space, const History& history) const override {
    return Search(space, history).step_before_stopping();
  }
  bool needs_scores() const override { return false; }
  bool ranks_plans() const override { return true; }
};

}  // namespace

std::unique_ptr<Strategy> make_auto_strategy() { return std::make_unique<Auto>(); }

}  // namespace lpot
