// bayesian: a Gaussian process over plans with expected improvement (Jones et al., Efficient Global Optimization of
// Expensive Black-Box Functions, 1998).
//
// Plans are categorical, so the kernel uses the share of ops whose choices differ:
// k(a, b) = exp(-differing share / length). The length is chosen from a short list by maximum likelihood.
//
// The strategy first tries the schemes for the whole model and a few random plans. Then it tries the candidate with the
// largest expected improvement. Candidates are random plans and neighbours of the best trial.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "lpot/strategies/common.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

constexpr std::size_t kMinRandomTrials = 5;      // before the Gaussian process is used
constexpr std::size_t kMaxBayesianTrials = 400;  // only the last trials are used: the cost is cubic
constexpr std::size_t kRandomCandidates = 200;   // random plans among the candidates for a trial
constexpr std::size_t kNeighbours = 200;         // candidates that change one to three ops of the best trial
constexpr double kNoise = 1e-4;                  // of a trial: variance, relative to that of all trials
constexpr auto kLengths = std::to_array({0.05, 0.15, 0.5, 1.5});

// Both plans have the same ops.
double differing_share(const Plan& a, const Plan& b) {
  std::size_t differing = a.sampling_size != b.sampling_size;
  for (auto left = a.ops.begin(), right = b.ops.begin(); left != a.ops.end(); ++left, ++right)
    differing += left->second != right->second;
  return static_cast<double>(differing) / static_cast<double>(a.ops.size() + 1);
}

class GaussianProcess {
 public:
  GaussianProcess(std::vector<const Plan*> plans, const std::vector<double>& values) : plans_(std::move(plans)) {
    const auto count = static_cast<Eigen::Index>(values.size());
    Eigen::VectorXd targets = Eigen::Map<const Eigen::VectorXd>(values.data(), count);
    mean_ = targets.mean();
    targets.array() -= mean_;
    scale_ = std::max(1e-9, std::sqrt(targets.squaredNorm() / static_cast<double>(count)));
    targets /= scale_;
    Eigen::MatrixXd distances(count, count);
    for (Eigen::Index i = 0; i < count; ++i)
      for (Eigen::Index j = 0; j < count; ++j)
        distances(i, j) = differing_share(*plans_[static_cast<std::size_t>(i)], *plans_[static_cast<std::size_t>(j)]);
    double best = -std::numeric_limits<double>::infinity();
    for (const double length : kLengths) {
      Eigen::MatrixXd kernel = (-distances / length).array().exp();
      kernel.diagonal().array() += kNoise;
      Eigen::LLT<Eigen::MatrixXd> factor(kernel);
      const Eigen::VectorXd weights = factor.solve(targets);
      const double likelihood = -0.5 * targets.dot(weights) - factor.matrixLLT().diagonal().array().log().sum();
      if (!(likelihood > best)) continue;
      best = likelihood;
      length_ = length;
      weights_ = weights;
      factor_ = std::move(factor);
    }
  }

  double expected_improvement(const Plan& plan, double best) const {
    Eigen::VectorXd similarity(static_cast<Eigen::Index>(plans_.size()));
    for (std::size_t i = 0; i < plans_.size(); ++i)
      similarity[static_cast<Eigen::Index>(i)] = std::exp(-differing_share(plan, *plans_[i]) / length_);
    const double mean = mean_ + scale_ * similarity.dot(weights_);
    const Eigen::VectorXd solved = factor_.matrixL().solve(similarity);
    const double deviation = scale_ * std::sqrt(std::max(1e-12, 1.0 + kNoise - solved.squaredNorm()));
    const double z = (mean - best) / deviation;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double cumulative = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    return (mean - best) * cumulative + deviation * density;
  }

 private:
  std::vector<const Plan*> plans_;
  double mean_ = 0, scale_ = 1, length_ = 1;
  Eigen::VectorXd weights_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

class Bayesian : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    const std::vector<WholeModelPlan> first_plans = whole_model_plans(space);
    if (auto step = first_untried(first_plans, space, history)) return step;
    RandomGenerator draws = generator_for(history, "bayesian");
    auto plan =
        history.trials.size() < first_plans.size() + kMinRandomTrials ? std::nullopt : proposal(space, history, draws);
    if (!plan) plan = random_untried_plan(space, history, draws);
    return plan ? std::optional(Step{*plan}) : std::nullopt;
  }

 private:
  static std::optional<Plan> proposal(const SearchSpace& space, const History& history, RandomGenerator& draws) {
    std::vector<const Plan*> plans;
    std::vector<double> values;
    std::size_t best = 0;
    const std::size_t first =
        history.trials.size() > kMaxBayesianTrials ? history.trials.size() - kMaxBayesianTrials : 0;
    for (std::size_t i = first; i < history.trials.size(); ++i) {
      check_number_of_ops(history.trials[i], space);
      plans.push_back(&history.trials[i].plan);
      values.push_back(utility(history.trials[i], history.goal));
      if (values.back() > values[best]) best = values.size() - 1;
    }
    const GaussianProcess process(plans, values);

    std::optional<Plan> chosen;
    double best_improvement = 0;
    const auto consider = [&](Plan plan) {
      if (plan.int8_count() == 0 || history.find(plan)) return;
      const double improvement = process.expected_improvement(plan, values[best]);
      if (chosen && improvement <= best_improvement) return;
      best_improvement = improvement;
      chosen = std::move(plan);
    };
    for (std::size_t i = 0; i < kRandomCandidates; ++i) consider(random_plan(space, draws));
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      Plan plan = *plans[best];
      for (std::size_t changes = 1 + draws.below(3); changes > 0; --changes) {
        const OpSpace& op = space.ops[draws.below(space.ops.size())];
        plan.ops[op.name] = op.choices[draws.below(op.choices.size())];
      }
      consider(std::move(plan));
    }
    return chosen;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian_strategy() { return std::make_unique<Bayesian>(); }

}  // namespace lpot
