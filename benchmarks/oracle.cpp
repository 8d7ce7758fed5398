// The reference of benchmarks/regret.py: a long search for the fastest model that meets a goal, and helpers of that
// benchmark.
//
//   build/bin/bench_oracle search CONF MODEL WORKSPACE PLANS     tries PLANS plans; a second run continues
//   build/bin/bench_oracle save CONF MODEL WORKSPACE OUTPUT PLAN saves the model of the plan in the JSON file PLAN
//   build/bin/bench_oracle samples CONF MODEL...                 prints the metric of every sample of each model;
//                                                                MODEL@bf16 runs it in this precision
//
// The search is a separate strategy on top of lpot::tune, so it has the search space, the statistics, the evaluation
// and the timing of every other strategy. It evaluates every plan completely. Its steps:
// 1. whole-model plans: schemes, recipes and precisions of the search space, and the models without int8
// 2. fallback from the most accurate of them, in the order of several rankings of the ops
// 3. fallback of single ops, and fallback of several ops in the order of the accuracy that each of them gains
// 4. random changes of the fastest plans that meet one of the goals of the benchmark
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/text_tensor.h"
#include "lpot/model/load.h"
#include "lpot/runtime/precision.h"
#include "lpot/strategies/common.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"

namespace {

using namespace lpot;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array kGoals{0.001, 0.003, 0.005, 0.01, 0.02};  // relative; the same as in regret.py
constexpr std::array<std::size_t, 10> kPrefixes{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
constexpr double kShareOfWholeModels = 0.4;  // of all plans
constexpr std::size_t kBases = 3;            // whole-model plans that ops fall back from
constexpr std::size_t kMaxSingles = 24;      // ops whose fallback is tried alone
constexpr int kMaxDraws = 200;

using Names = std::vector<std::string>;

double saved_ms(const SearchSpace& space, const std::string& op) {
  const auto found = space.saved_ms.find(op);
  return found == space.saved_ms.end() ? 0 : found->second;
}

double noise(const SearchSpace& space, const std::string& op) {
  const auto found = space.noise.find(op);
  return found == space.noise.end() ? 0 : found->second;
}

// `names` with the highest rating first.
Names ranked(Names names, const std::function<double(const std::string&)>& rating) {
  std::map<std::string, double> ratings;
  for (const std::string& name : names) ratings[name] = rating(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return ratings.at(a) > ratings.at(b); });
  return names;
}

Plan with_fallbacks(Plan plan, const Names& ops, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) plan = with_fallback(std::move(plan), ops[i]);
  return plan;
}

class Oracle : public Strategy {
 public:
  explicit Oracle(std::size_t plans) : plans_(plans) {}

  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    return Search(space, history, plans_).step();
  }

 private:
  // Computes one step. Plans are proposed in a fixed order; the first one without a trial is the step.
  class Search {
   public:
    Search(const SearchSpace& space, const History& history, std::size_t plans)
        : space_(space), history_(history), plans_(plans) {}

    std::optional<Step> step() {
      if (propose(whole_models())) return found_;
      const std::vector<const Trial*> bases = most_accurate_whole_models();
      if (bases.empty()) return std::nullopt;
      for (std::size_t i = 0; i < bases.size(); ++i)
        if (propose(prefixes(bases[i]->plan, i == 0))) return found_;
      if (propose(singles(bases.front()->plan)) || propose(prefixes_by_gain(*bases.front()))) return found_;
      return random_change(bases);
    }

   private:
    bool propose(const std::vector<Plan>& plans) {
      for (const Plan& plan : plans)
        if (!history_.find(plan)) {
          found_ = Step{plan};
          return true;
        }
      return false;
    }

    SearchSpace space_in_f32() const {
      SearchSpace space = space_;
      static_cast<PlanChoices&>(space) = in_f32(space_);
      return space;
    }

    // Models without int8, then all schemes with weights per channel in the precision of the space, then a random part
    // of the others.
    std::vector<Plan> whole_models() const {
      const SearchSpace in_single = space_in_f32();
      const bool is_16_bit = space_.inference_precision != InferencePrecision::F32;
      std::vector<Plan> all, rest;
      if (may_be_unquantized(space_)) {
        all.push_back(unquantized_plan(in_single));
        if (is_16_bit) all.push_back(unquantized_plan(space_));
      }
      for (const SearchSpace* space : {&space_, &in_single}) {
        if (space == &in_single && !is_16_bit) continue;
        for (const auto* choices : {&space->model_choices, &space->more_model_choices})
          for (const OpPlan& choice : *choices)
            for (const Recipes& recipes : space->recipes)
              for (const std::size_t size : space->sampling_sizes) {
                const bool is_first = space == &space_ && choice.weight.granularity == Granularity::PerChannel;
                (is_first ? all : rest).push_back(SchemeAndRecipes{choice, false, recipes, size}.plan(*space));
                const bool is_mixed = choice.activation.algorithm == Algorithm::MinMax;
                if (is_mixed)
                  (is_first ? all : rest).push_back(SchemeAndRecipes{choice, true, recipes, size}.plan(*space));
              }
      }
      for (const std::size_t i : shuffled(rest.size(), history_.random_seed)) all.push_back(rest[i]);
      std::set<std::uint64_t> known;
      std::erase_if(all, [&](const Plan& plan) { return !known.insert(key_of(plan).sum).second; });
      all.resize(std::min(all.size(), static_cast<std::size_t>(kShareOfWholeModels * static_cast<double>(plans_))));
      return all;
    }

    std::vector<const Trial*> most_accurate_whole_models() const {
      std::vector<const Trial*> best;
      for (const Plan& plan : whole_models()) {
        const Trial* trial = history_.find(plan);
        if (trial && trial->result && plan.int8_count() > 1) best.push_back(trial);
      }
      std::stable_sort(best.begin(), best.end(), [&](const Trial* a, const Trial* b) {
        return history_.goal.closer(a->result->accuracy, b->result->accuracy);
      });
      best.resize(std::min(best.size(), kBases));
      return best;
    }

    double noise_per_ms(const std::string& op) const {
      return noise(space_, op) / std::max(saved_ms(space_, op), 1e-4);
    }

    std::vector<Plan> prefixes(const Plan& base, bool all_rankings) const {
      const Names ops = ops_to_fall_back(space_, base);
      std::vector<Names> rankings{ranked(ops, [&](const std::string& op) { return noise_per_ms(op); })};
      if (all_rankings) {
        rankings.push_back(ranked(ops, [&](const std::string& op) { return noise(space_, op); }));
        rankings.push_back(ranked(ops, [&](const std::string& op) { return -saved_ms(space_, op); }));
      }
      std::vector<Plan> plans;
      for (const Names& ranking : rankings) append_prefixes(base, ranking, plans);
      return plans;
    }

    static void append_prefixes(const Plan& base, const Names& ranking, std::vector<Plan>& plans) {
      for (const std::size_t count : kPrefixes)
        if (count <= ranking.size() && count < base.int8_count()) plans.push_back(with_fallbacks(base, ranking, count));
    }

    Names single_ops(const Plan& base) const {
      Names ops = ranked(ops_to_fall_back(space_, base), [&](const std::string& op) { return noise_per_ms(op); });
      ops.resize(std::min(ops.size(), kMaxSingles));
      return ops;
    }

    std::vector<Plan> singles(const Plan& base) const {
      std::vector<Plan> plans;
      for (const std::string& op : single_ops(base)) plans.push_back(with_fallback(base, op));
      return plans;
    }

    std::vector<Plan> prefixes_by_gain(const Trial& base) const {
      const Names ops = ranked(single_ops(base.plan), [&](const std::string& op) {
        const Trial* alone = history_.find(with_fallback(base.plan, op));
        return alone && alone->result ? alone->result->accuracy - base.result->accuracy : -1.0;
      });
      std::vector<Plan> plans;
      append_prefixes(base.plan, ops, plans);
      return plans;
    }

    // Step 4. The goals take turns.
    std::optional<Step> random_change(const std::vector<const Trial*>& bases) const {
      RandomGenerator draws = generator_for(history_, "oracle");
      Goal goal = history_.goal;
      goal.relative = true;
      goal.tolerance = kGoals[history_.trials.size() % kGoals.size()];
      const Trial* fastest = fastest_that_meets(goal);
      for (int i = 0; i < kMaxDraws; ++i) {
        const Trial* near = near_miss(goal, fastest, draws);
        Plan plan = !fastest || (near && draws.coin())
                        ? changed(near ? near->plan : bases.front()->plan, draws)
                        : faster(fastest->plan, *bases[draws.below(bases.size())], draws);
        if (plan.int8_count() > 0 && !history_.find(plan)) return Step{std::move(plan)};
      }
      const auto any = random_untried_plan(space_, history_, draws);
      return any ? std::optional(Step{*any}) : std::nullopt;
    }

    const Trial* fastest_that_meets(const Goal& goal) const {
      const Trial* best = nullptr;
      for (const Trial& trial : history_.trials)
        if (trial.result && trial.plan.int8_count() > 0 && goal.met(trial.result->accuracy) &&
            (!best || trial.result->speedup > best->result->speedup))
          best = &trial;
      return best;
    }

    // A trial that misses the goal by less than it allows, and that is faster than the fastest one that meets it.
    static bool is_near_miss(const Trial& trial, const Goal& goal, const Trial* fastest) {
      return trial.result && trial.plan.int8_count() > 0 && !goal.met(trial.result->accuracy) &&
             goal.loss(trial.result->accuracy) < 2 * goal.allowed_loss() + 0.002 * goal.baseline &&
             (!fastest || trial.result->speedup > fastest->result->speedup);
    }

    const Trial* near_miss(const Goal& goal, const Trial* fastest, RandomGenerator& draws) const {
      std::vector<const Trial*> near;
      for (const Trial& trial : history_.trials)
        if (is_near_miss(trial, goal, fastest)) near.push_back(&trial);
      return near.empty() ? nullptr : near[draws.below(near.size())];
    }

    // One or two ops fall back or get another scheme: about as fast, and another accuracy.
    Plan changed(Plan plan, RandomGenerator& draws) const {
      for (std::size_t count = 1 + draws.below(2); count > 0; --count) {
        const Names ops = ops_to_fall_back(space_, plan);
        if (ops.empty()) break;
        const std::string* op = &ops[draws.below(ops.size())];
        if (draws.coin()) {
          const std::string* other = &ops[draws.below(ops.size())];
          if (noise_per_ms(*other) > noise_per_ms(*op)) op = other;
          plan = with_fallback(std::move(plan), *op);
        } else {
          plan.ops.at(*op) = other_scheme(*op, plan.ops.at(*op), draws);
        }
      }
      return plan;
    }

    OpPlan other_scheme(const std::string& name, const OpPlan& now, RandomGenerator& draws) const {
      const auto op = std::find_if(space_.ops.begin(), space_.ops.end(),
                                   [&](const OpSpace& candidate) { return candidate.name == name; });
      std::vector<OpPlan> choices;
      for (const auto* list : {&op->choices, &op->more_choices})
        std::copy_if(list->begin(), list->end(), std::back_inserter(choices),
                     [&](const OpPlan& choice) { return choice.is_int8() && !(choice == now); });
      return choices.empty() ? now : choices[draws.below(choices.size())];
    }

    // A fallback op returns to int8, or two change places, or the fallback ops stay and the whole-model plan changes.
    Plan faster(Plan plan, const Trial& base, RandomGenerator& draws) const {
      const Names fallback = returnable(plan);
      if (fallback.empty()) return changed(std::move(plan), draws);
      const std::size_t move = draws.below(3);
      if (move == 2) return with_fallbacks(base.plan, fallback, std::min(fallback.size(), base.plan.int8_count() - 1));
      const std::string& op = fallback[draws.below(fallback.size())];
      plan.ops.at(op) = int8_choice(op, plan);
      return move == 0 ? plan : changed(std::move(plan), draws);
    }

    Names returnable(const Plan& plan) const {
      Names names;
      for (const OpSpace& op : space_.ops)
        if (!plan.ops.at(op.name).is_int8() && op.can_fall_back() && op.choices.front().is_int8())
          names.push_back(op.name);
      return names;
    }

    OpPlan int8_choice(const std::string& name, const Plan& plan) const {
      const auto int8 =
          std::find_if(plan.ops.begin(), plan.ops.end(), [](const auto& op) { return op.second.is_int8(); });
      const OpPlan& wanted = int8 == plan.ops.end() ? space_.model_choices.front() : int8->second;
      const auto op = std::find_if(space_.ops.begin(), space_.ops.end(),
                                   [&](const OpSpace& candidate) { return candidate.name == name; });
      return op->most_similar_of_all(wanted);
    }

    const SearchSpace& space_;
    const History& history_;
    std::size_t plans_;
    std::optional<Step> found_;
  };

  std::size_t plans_;
};

class OnePlan : public Strategy {
 public:
  explicit OnePlan(Plan plan) : plan_(std::move(plan)) {}
  std::optional<Step> next(const SearchSpace&, const History& history) const override {
    return history.find(plan_) ? std::nullopt : std::optional(Step{plan_});
  }

 private:
  Plan plan_;
};

Observer log_to_stderr() {
  Observer observer;
  observer.on_log = [](LogLevel level, std::string_view text) {
    if (level != LogLevel::Debug) std::cerr << text << "\n";
  };
  return observer;
}

Config study_config(const std::string& file, const std::string& workspace, std::size_t trials) {
  return load_config({file},
                     {"tuning.workspace.path=" + workspace, "tuning.accuracy_criterion.relative=0.02",
                      fmt::format("tuning.exit_policy.max_trials={}", trials), "tuning.exit_policy.timeout=10000000"});
}

int search(const std::vector<std::string>& arguments) {
  const std::size_t plans = std::stoul(arguments.at(3));
  TuneOptions options{.model = arguments[1], .resume = true};
  options.user.strategy = {"oracle", std::make_shared<Oracle>(plans)};
  options.on_trial = [](const Trial& trial, bool) {
    const std::string result =
        trial.result ? fmt::format("{:.4f}, {:.3f} x", trial.result->accuracy, trial.result->speedup) : trial.error;
    std::cerr << fmt::format("trial {}: {} in int8, {}, {:.1f} s\n", trial.number, trial.plan.int8_count(), result,
                             trial.seconds);
  };
  const TuneResult result = tune(study_config(arguments[0], arguments[2], plans), options, log_to_stderr());
  Json trials = Json::array();
  for (const Trial& trial : result.trials) {
    if (!trial.result || !trial.result->complete) continue;
    trials.push_back({{"number", trial.number},
                      {"accuracy", trial.result->accuracy},
                      {"speedup", trial.result->speedup},
                      {"speedup_low", trial.result->speedup_low},
                      {"speedup_high", trial.result->speedup_high},
                      {"int8_ops", trial.plan.int8_count()},
                      {"ops", trial.plan.ops.size()},
                      {"plan", Json::parse(to_json(trial.plan))}});
  }
  std::cout << Json{{"fp32", result.baseline.accuracy},
                    {"tried", result.trials.size()},
                    {"cores", result.best ? result.best->result->cores : 0},
                    {"trials", trials}}
                   .dump()
            << "\n";
  return 0;
}

int save(const std::vector<std::string>& arguments) {
  const std::vector<std::uint8_t> bytes = read_file(arguments.at(4));
  const Plan plan = plan_from_json(std::string(bytes.begin(), bytes.end()));
  TuneOptions options{.model = arguments[1], .output = arguments[3]};
  options.user.strategy = {"plan " + plan_hash(plan), std::make_shared<OnePlan>(plan)};
  const TuneResult result = tune(study_config(arguments[0], arguments[2], 1), options, log_to_stderr());
  if (!result.best) throw Error("oracle", "the model of the plan was not saved");
  std::cout << Json{{"accuracy", result.best->result->accuracy}, {"model", result.model.string()}}.dump() << "\n";
  return 0;
}

// Collects the value of a metric for each sample. Samples whose label is a list of texts belong together if the first
// text, the id of a question, is the same.
class PerSample : public Metric {
 public:
  using Values = std::vector<double>;
  PerSample(std::shared_ptr<const Metric> of, std::shared_ptr<Values> values)
      : of_(std::move(of)), values_(std::move(values)) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::vector<Tensor> one;
      for (const Tensor& output : outputs) one.push_back(stack({output.slice(i)}));
      const std::string id = holds_texts(labels[i]) ? to_texts(labels[i]).front() : std::to_string(samples_.size());
      const auto [place, is_new] = places_.emplace(id, samples_.size());
      if (is_new) samples_.push_back(of_->fresh());
      samples_[place->second]->update(one, {labels[i]});
    }
  }
  void merge(const Metric&) override { throw Error("oracle", "samples of several processes cannot be merged"); }
  double result() const override {
    values_->clear();
    for (const auto& sample : samples_) values_->push_back(sample->result());
    double sum = 0;
    for (const double value : *values_) sum += value;
    return sum / static_cast<double>(values_->size());
  }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<PerSample>(of_, values_); }

 private:
  std::shared_ptr<const Metric> of_;
  std::shared_ptr<Values> values_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::unique_ptr<Metric>> samples_;
};

// A model in the precision behind "@", else in the one that it was saved with.
Model model_in_precision(const std::string& argument, const Config& config) {
  const auto at = argument.rfind('@');
  Model model = load_model(argument.substr(0, at), load_options(config.model));
  model.precision =
      at == std::string::npos ? usable_precision(model.precision) : parse_precision(argument.substr(at + 1), "samples");
  return model;
}

int samples(const std::vector<std::string>& arguments) {
  const Config config = load_config({arguments.at(0)});
  Json all = Json::array();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const Model model = model_in_precision(arguments[i], config);
    const auto values = std::make_shared<PerSample::Values>();
    UserComponents user;
    user.metrics = {{"each", std::make_shared<PerSample>(make_metric(config.accuracy.metrics.at(0)), values)}};
    const Score score = make_evaluator(config, user, nullptr)->baseline(model, {});
    all.push_back({{"model", arguments[i]}, {"accuracy", score.metrics.at(1).second}, {"values", *values}});
  }
  std::cout << all.dump() << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  const std::string verb = argc > 1 ? argv[1] : "";
  try {
    if (verb == "search" && arguments.size() == 4) return search(arguments);
    if (verb == "save" && arguments.size() == 5) return save(arguments);
    if (verb == "samples" && arguments.size() > 1) return samples(arguments);
  } catch (const lpot::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  std::cerr << "usage: bench_oracle search CONF MODEL WORKSPACE PLANS\n"
               "       bench_oracle save CONF MODEL WORKSPACE OUTPUT PLAN\n"
               "       bench_oracle samples CONF MODEL...\n";
  return 2;
}
