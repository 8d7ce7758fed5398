// The table of the strategies that a configuration may name.
#include "lpot/core/registry.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

using StrategyKind = Kind<std::unique_ptr<Strategy>>;

const std::vector<StrategyKind>& kinds() {
  static const std::vector<Parameter> kWeights{
      {"accuracy_weight", ValueKind::Number, "1.0", false, "weight of the accuracy of trials that miss the goal"},
      {"latency_weight", ValueKind::Number, "1.0", false, "weight of the speed"}};
  static const std::vector<StrategyKind> kKinds{
      {{"basic",
        "tries schemes for the whole model, then reverts one op at a time to fp32, then the most helpful ops together"},
       [](const Component&) { return make_basic_strategy(); }},
      {{"auto",
        "recommended: tries schemes and recipes, then finds the most harmful ops with a few samples and reverts them "
        "to fp32; with a timeout, then returns the ops to int8 that save the most time"},
       [](const Component&) { return make_auto_strategy(); }},
      {{"mse",
        "tries schemes for the whole model, then reverts ops to fp32 one after the other, sorted by their effect on "
        "the outputs"},
       [](const Component&) { return make_mse_strategy(); }},
      {{"bayesian", "a Gaussian process over the choices of all ops, with expected improvement"},
       [](const Component&) { return make_bayesian_strategy(); }},
      {{"exhaustive", "every combination of the choices of all ops"},
       [](const Component&) { return make_exhaustive_strategy(); }},
      {{"random", "random combinations of the choices of all ops"},
       [](const Component&) { return make_random_strategy(); }},
      {{"tpe", "tree of Parzen estimators: prefers choices that are frequent in good trials and rare in bad ones",
        kWeights},
       [](const Component& component) { return make_tpe_strategy(component); }},
      {{"sigopt",
        "the SigOpt service",
        {},
        "",
        "SigOpt is a paid service that lpot does not call; use bayesian, which is the same method"}},
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
