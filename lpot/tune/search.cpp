// Stage "search": connects the study loop with the models of the plans, the measurements and the saved files.
#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/large_models.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/report/deploy.h"
#include "lpot/report/tensorboard.h"
#include "lpot/strategies/precision_fallback.h"
#include "lpot/tune/next_model.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/stages.h"
#include "lpot/tune/study.h"
#include "lpot/tune/worker.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// Proposes a single plan.
class OnlyPlan : public Strategy {
 public:
  explicit OnlyPlan(Plan plan) : plan_(std::move(plan)) {}
  std::optional<Step> next(const SearchSpace&, const History& history) const override {
    return history.find(plan_) ? std::nullopt : std::optional(Step{plan_});
  }

 private:
  Plan plan_;
};

// Strategies search int8 models. Where no op gains from int8, the only trial is the model without int8.
std::shared_ptr<const Strategy> strategy_for(const TuningContext& context, const SearchSpace& space) {
  const Plan first = first_plan(space);
  if (first.int8_count() == 0) return std::make_shared<OnlyPlan>(first);
  const auto& user_strategy = context.options.user.strategy.strategy;
  std::shared_ptr<const Strategy> strategy =
      user_strategy ? user_strategy : make_strategy(context.config.tuning.strategy);
  // Int8 weights alone are chosen for their size. Plain kernel variants mean that speed decides nothing.
  const QuantizationConfig& config = context.config.quantization;
  if (user_strategy || is_dynamic(context.config) || !config.recipes.measured_kernel_variants) return strategy;
  return with_precision_fallback(std::move(strategy), context.config.tuning.objective);
}

// Builds, measures and saves the candidates of a search.
class Candidates {
 public:
  Candidates(const TuningContext& context, CandidateBuilder& builder, NextModel& next, const SearchInput& input)
      : context_(context), builder_(builder), next_(next), input_(input) {}

  Measurement measure(const Plan& plan, const Observer& observer) {
    return context_.measurer.measure(quantized(plan, Step::Kind::Try, observer), observer);
  }

  // The score from another study, else a measurement that stops when the goal cannot be met any more. A strategy that
  // works with such estimates gets them for every plan that misses the goal, so that scores of other studies in the
  // workspace do not change its search.
  Measurement measure_or_reuse(const Plan& plan, bool may_end_early, const Observer& observer) {
    if (is_original(plan)) return original_measurement();
    if (auto known = context_.session.cache().score(plan);
        known && (!may_end_early || input_.baseline.goal.met(known->accuracy))) {
      known->samples = 0;  // nothing is evaluated again
      return *known;
    }
    if (!may_end_early) return measure(plan, observer);
    const Model model = quantized(plan, Step::Kind::Try, observer);
    return context_.measurer.measure_unless_below(input_.baseline.goal.acceptance_threshold(),
                                                  {model, key_of(plan).sum}, observer);
  }

  double probe(const Plan& plan, DistanceKind kind, const Observer& observer) {
    return context_.measurer.probe().distance_from_fp32(quantized(plan, Step::Kind::Probe, observer), kind, observer);
  }

  std::optional<LossEstimate> estimate(const Plan& plan, int level, const Observer& observer) {
    const Model model = quantized(plan, Step::Kind::Probe, observer);
    return context_.evaluator.estimate({context_.task.model, {model, key_of(plan).sum}, level}, observer);
  }

  // The estimated time to evaluate a trial completely whose evaluation stopped early.
  double seconds_to_complete(const Trial& trial) const {
    const auto evaluated = static_cast<double>(std::max<std::size_t>(1, trial.result->samples));
    const double seconds = trial.seconds * static_cast<double>(input_.baseline.measured.samples) / evaluated;
    const double longest = context_.measurer.evaluation_seconds();
    return longest > 0 ? std::min(seconds, longest) : seconds;
  }

  void prepare_ahead(const Step& step) {
    if (step.plan.int8_count() > 0 && !input_.statistics.contains(step.plan)) return;  // needs a calibration pass first
    next_.expect(step, [&builder = builder_, &source = context_.task.model, plan = builder_.finalize(step.plan)] {
      Edits made = builder.resolve_final(plan);
      Model model = apply(source, made);
      return NextModel::BuiltModel{std::move(made), std::move(model)};
    });
  }

  void save(const Trial& trial) {
    complete_statistics(trial.plan, context_.observer);
    const Edits& edits = builder_.edits(trial.plan);
    const fs::path& folder = context_.session.output();
    save_deployment(folder, edits, deployment(trial), context_.observer);
    if (context_.options.on_saved) context_.options.on_saved(context_.task.model, trial.plan, edits, folder);
  }

  // TensorBoard's files are not part of the result, so errors do not end the study.
  void add_to(const TensorBoard& board, const Trial& trial) {
    try {
      complete_statistics(trial.plan, context_.observer);
      board.add_trial(trial, builder_.edits(trial.plan), context_.observer);
    } catch (const Error& error) {
      context_.observer.log(LogLevel::Warning,
                            fmt::format("TensorBoard: trial {} is not written: {}", trial.number, error.what()));
    }
  }

  // A run that was killed between storing a trial and saving its model leaves the saving to the resumed run.
  void save_unless_saved(const Trial& trial) {
    if (!is_deployed(context_.session.output(), deployment(trial))) save(trial);
  }

 private:
  // Without int8 in f32, a plan is the original model, whose accuracy is known.
  static bool is_original(const Plan& plan) {
    return plan.inference_precision == InferencePrecision::F32 && plan.int8_count() == 0;
  }

  Measurement original_measurement() const {
    Measurement known = input_.baseline.measured;
    known.samples = 0;  // nothing is evaluated again
    return known;
  }

  Deployment deployment(const Trial& trial) {
    return {context_.task.name,   context_.task.model,      builder_.finalize(trial.plan),
            context_.task.cpu,    context_.options.command, input_.shapes,
            input_.baseline.goal, input_.baseline.measured, trial};
  }

  // A recipe that rescales the model changes its activations, so it needs its own calibration pass.
  void complete_statistics(const Plan& plan, const Observer& observer) {
    const CalibrateOptions options{make_executor(context_.coordinator), &context_.session.cache()};
    if (calibrate_for(plan, input_.statistics, context_.task, context_.config, options, observer) &&
        context_.coordinator)
      send_statistics(*context_.coordinator, input_.statistics, observer);
  }

  Model quantized(const Plan& plan, Step::Kind kind, const Observer& observer) {
    complete_statistics(plan, observer);
    if (auto built = next_.acquire_model(plan)) builder_.put(plan, std::move(built->edits), std::move(built->model));
    next_.set_running(kind);
    if (context_.options.on_quantized) context_.options.on_quantized(context_.task.model, builder_.edits(plan));
    Model model = builder_.model(plan);
    if (context_.coordinator) model.derivation = derivation_of(builder_.finalize(plan));
    return model;
  }

  const TuningContext& context_;
  CandidateBuilder& builder_;
  NextModel& next_;
  const SearchInput& input_;
};

// Models are not built ahead if the model is large (memory holds one at a time), if there are workers (they compile on
// their own cores), or for strategies of users (they must not be asked for steps that may never happen).
bool may_build_ahead(const TuningContext& context) {
  return !context.coordinator && context.task.model.size_bytes < kLargeModel && !context.options.user.strategy.strategy;
}

StudyWork work_of(const TuningContext& context, Candidates& candidates, const Strategy& strategy, const Goal& goal) {
  const bool may_end_early = !strategy.needs_scores() && goal.higher_is_better && !goal.performance_only;
  StudyWork work;
  work.attempt = [&candidates, may_end_early](const Plan& plan, const Observer& observer) {
    return candidates.measure_or_reuse(plan, may_end_early, observer);
  };
  work.complete = [&](const Plan& plan, const Observer& observer) { return candidates.measure(plan, observer); };
  work.complete_seconds = [&](const Trial& trial) { return candidates.seconds_to_complete(trial); };
  work.probe = [&, kind = strategy.distance_kind()](const Plan& plan, int level, const Observer& observer) {
    return candidates.probe(plan, level > 0 ? DistanceKind::ChangedAnswers : kind, observer);
  };
  work.estimate = [&](const Plan& plan, int level, const Observer& observer) {
    return candidates.estimate(plan, level, observer);
  };
  if (may_build_ahead(context)) work.expect = [&](const Step& step) { candidates.prepare_ahead(step); };
  return work;
}

SavedModel saved_in(const fs::path& folder, const StaticShapes& shapes, const Plan& plan) {
  const fs::path model = folder / "model.xml";
  return {model, fs::file_size(model) + fs::file_size(folder / "model.bin"), saved_exports(folder), shapes,
          plan.inference_precision};
}

}  // namespace

SearchOutput search(const TuningContext& context, CandidateBuilder& builder, NextModel& next,
                    const SearchInput& input) {
  StudySession& session = context.session;
  const TuningConfig& tuning = context.config.tuning;
  std::optional<TensorBoard> board;
  if (tuning.tensorboard)
    board.emplace(session.workspace(), session.id(),
                  TensorBoardSource{context.task.model, context.task.ops, context.task.calibration,
                                    calibration_samples(context.config, context.task)});
  if (board && session.record().trials().empty())
    board->add_fp32(input.baseline.measured, input.statistics.of(first_plan(context.task.choices)), context.observer);
  if (may_build_ahead(context)) context.measurer.compile_with(next);

  const auto strategy = strategy_for(context, input.space);
  Candidates candidates(context, builder, next, input);
  StudyEvents events;
  events.on_trial = [&](const Trial& trial, bool is_best) {
    if (trial.number == 1) session.record().set_first_model_notes(context.evaluator.notes());
    if (is_best) candidates.save(trial);
    if (context.options.on_trial) context.options.on_trial(trial, is_best);
    if (board && trial.result) candidates.add_to(*board, trial);
  };
  events.on_complete = [&](const Trial& best) { candidates.save(best); };

  Study study(session.store(), session.id(),
              {input.space, input.baseline.goal, tuning.objective, tuning.exit_policy, tuning.random_seed,
               input.seconds_before});
  StudyOutcome outcome =
      study.run(*strategy, work_of(context, candidates, *strategy, input.baseline.goal), events, context.observer);
  SavedModel saved{.shapes = input.shapes};
  if (outcome.best) {
    candidates.save_unless_saved(*outcome.best);
    saved = saved_in(session.output(), input.shapes, outcome.best->plan);
  }
  return {std::move(outcome), std::move(saved)};
}

}  // namespace lpot
