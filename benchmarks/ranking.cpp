// Validates the ranking of `auto`: how well estimates from a few samples order plans by their accuracy.
//
//   build/bin/bench_ranking CONF MODEL WORKSPACE
//   build/bin/bench_ranking CONF MODEL WORKSPACE --black-box   as if a function of the user evaluated: no sample scores
//
// The plans are all schemes with weights per channel, with every combination of recipes of the search space. Each is
// probed in the three ways that strategies know, then evaluated completely. Prints the rank correlation (Spearman) of
// each kind of probe with the accuracy, and the root mean square error of the estimates. In the workspace of a search
// by bench_oracle, complete evaluations are reused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <numeric>

#include "lpot/core/error.h"
#include "lpot/strategies/common.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"

namespace {

using namespace lpot;

std::vector<Plan> plans_of(const SearchSpace& space) {
  std::vector<Plan> plans;
  for (const auto* choices : {&space.model_choices, &space.more_model_choices})
    for (const OpPlan& choice : *choices)
      for (const Recipes& recipes : space.recipes)
        for (const bool mixed : {false, true}) {
          const bool is_base_of_mixed = choice.activation.algorithm == Algorithm::MinMax;
          if (choice.weight.granularity != Granularity::PerChannel || (mixed && !is_base_of_mixed)) continue;
          Plan plan = SchemeAndRecipes{choice, mixed, recipes, space.sampling_sizes.front()}.plan(space);
          if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(std::move(plan));
        }
  return plans;
}

// Probes every plan at all levels and tries it.
class ProbeAll : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    for (const Plan& plan : plans_of(space)) {
      for (const int level : {0, 1, 2})
        if (!history.find_probe(plan, level)) return Step{plan, Step::Kind::Probe, 0, level};
      if (!history.find(plan)) return Step{plan};
    }
    return std::nullopt;
  }
};

// Equal values get the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> sorted = values, found;
  std::sort(sorted.begin(), sorted.end());
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    found.push_back(static_cast<double>((first - sorted.begin()) + (last - sorted.begin()) - 1) / 2);
  }
  return found;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

void print_level(int level, const TuneResult& result) {
  std::map<std::uint64_t, double> accuracies;
  for (const Trial& trial : result.trials)
    if (trial.result) accuracies[key_of(trial.plan).sum] = trial.result->accuracy;
  std::vector<double> expected, found;
  double squares = 0;
  std::size_t samples = 0;
  for (const Probe& probe : result.probes) {
    const auto accuracy = accuracies.find(key_of(probe.plan).sum);
    if (probe.level != level || accuracy == accuracies.end()) continue;
    found.push_back(accuracy->second);
    expected.push_back(probe.loss ? -*probe.loss : -probe.distance);
    samples = std::max(samples, probe.used_samples);
    if (probe.loss) squares += std::pow(result.baseline.accuracy - *probe.loss - accuracy->second, 2);
  }
  if (expected.size() < 3) return;
  std::cout << fmt::format("level {}: {} plans, rank correlation {:.2f}", level, expected.size(),
                           spearman(expected, found));
  if (samples > 0)
    std::cout << fmt::format(", {} samples, error {:.4f}", samples,
                             std::sqrt(squares / static_cast<double>(expected.size())));
  std::cout << "\n";
  if (level == 0)
    std::cout << fmt::format("accuracies {:.4f} to {:.4f}, fp32 {:.4f}\n",
                             *std::min_element(found.begin(), found.end()),
                             *std::max_element(found.begin(), found.end()), result.baseline.accuracy);
}

int run(const std::string& config_file, const std::string& model, const std::string& workspace, bool black_box) {
  TuneOptions options{.model = model};
  options.user.strategy = {"probe all", std::make_shared<ProbeAll>()};
  const Config config =
      load_config({config_file}, {"tuning.workspace.path=" + workspace, "tuning.accuracy_criterion.relative=0.02",
                                  "tuning.exit_policy.max_trials=1000", "tuning.exit_policy.timeout=10000000"});
  if (black_box) {
    const std::shared_ptr<Evaluator> evaluator = make_evaluator(config);
    options.user.evaluation = {"black box", [evaluator](const EvaluationRequest& request) {
                                 return request.is_fp32
                                            ? evaluator->baseline(request.model, request.observer).accuracy()
                                            : evaluator->score(request.model, request.observer).accuracy();
                               }};
  }
  const TuneResult result = tune(config, options);
  for (const int level : {0, 1, 2}) print_level(level, result);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool black_box = argc == 5 && std::string(argv[4]) == "--black-box";
  if (argc != 4 && !black_box) {
    std::cerr << "usage: bench_ranking CONF MODEL WORKSPACE [--black-box]\n";
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3], black_box);
  } catch (const lpot::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
