#include "lpot/tune/strategy.h"

#include <algorithm>

#include "lpot/core/registry.h"

namespace lpot {

const Trial* History::find(const Plan& plan) const {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.plan == plan; });
  return found == trials.end() ? nullptr : &*found;
}

namespace {

using StrategyKind = Kind<std::unique_ptr<Strategy>>;

const std::vector<StrategyKind>& kinds() {
  static const std::string kLater = "not available yet in this version; use basic";
  static const std::vector<Parameter> kWeights{{"accuracy_weight", ValueKind::Number, "1.0"},
                                               {"latency_weight", ValueKind::Number, "1.0"}};
  static const std::vector<StrategyKind> kKinds{
      {{"basic",
        "whole-model schemes first, then one op at a time back to fp32, then the most helpful of these together"},
       [](const Component&) { return make_basic_strategy(); }},
      {{"auto", "recipes, ranking and bisection", {}, "", kLater}},
      {{"mse", "fall back by output error", {}, "", kLater}},
      {{"bayesian", "Gaussian process with expected improvement", {}, "", kLater}},
      {{"exhaustive", "every combination", {}, "", kLater}},
      {{"random", "random combinations", {}, "", kLater}},
      {{"tpe", "tree of Parzen estimators", kWeights, "", kLater}},
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
