#include "lpot/strategies/strategy.h"

#include <algorithm>

#include "lpot/core/registry.h"

namespace lpot {
namespace {

template <typename Record>
const Record* find_plan(const std::vector<Record>& records, const PlanIndex* kept, PlanIndex& own, PlanKey key) {
  if (!kept)
    while (own.size() < records.size()) own.add(key_of(records[own.size()].plan));
  const auto found = (kept ? *kept : own).find(key);
  return found ? &records[*found] : nullptr;
}

}  // namespace

const std::vector<Probe>& History::no_probes() {
  static const std::vector<Probe> kNone;
  return kNone;
}

const Trial* History::find(PlanKey key) const { return find_plan(trials, trial_index_, own_trial_index_, key); }
const Probe* History::find_probe(PlanKey key) const { return find_plan(probes, probe_index_, own_probe_index_, key); }

bool History::met() const {
  return std::any_of(trials.begin(), trials.end(),
                     [&](const Trial& trial) { return trial.result && goal.met(trial.result->accuracy); });
}

namespace {

using StrategyKind = Kind<std::unique_ptr<Strategy>>;

const std::vector<StrategyKind>& kinds() {
  static const std::vector<Parameter> kWeights{
      {"accuracy_weight", ValueKind::Number, "1.0", false, "how much an accuracy short of the goal counts"},
      {"latency_weight", ValueKind::Number, "1.0", false, "how much speed counts"}};
  static const std::vector<StrategyKind> kKinds{
      {{"basic",
        "whole-model schemes first, then one op at a time back to fp32, then the most helpful of these together"},
       [](const Component&) { return make_basic_strategy(); }},
      {{"auto",
        "recommended: schemes and recipes first, then the ops that do most harm back to fp32, found with few samples; "
        "with a timeout, back to int8 what costs most"},
       [](const Component&) { return make_auto_strategy(); }},
      {{"mse",
        "whole-model schemes first, then ops back to fp32 one after the other, those first without which the outputs "
        "are "
        "nearest to fp32's"},
       [](const Component&) { return make_mse_strategy(); }},
      {{"bayesian", "a Gaussian process over the choices of all ops, by expected improvement"},
       [](const Component&) { return make_bayesian_strategy(); }},
      {{"exhaustive", "every combination of the choices of all ops"},
       [](const Component&) { return make_exhaustive_strategy(); }},
      {{"random", "random combinations of the choices of all ops"},
       [](const Component&) { return make_random_strategy(); }},
      {{"tpe", "a tree of Parzen estimators: choices that good trials have and bad ones have not", kWeights},
       [](const Component& component) { return make_tpe_strategy(component); }},
      {{"sigopt",
        "SigOpt's service",
        {},
        "",
        "SigOpt is a paid service that lpot does not call; bayesian is the method it used"}},
  };
  return kKinds;
}

}  // namespace

const Table& strategies() {
  static const Table table = table_of(kinds());
  return table;
}

std::unique_ptr<Strategy> make_strategy(const Component& component) {
  return make_component(kinds(), component, "strategy");
}

}  // namespace lpot
