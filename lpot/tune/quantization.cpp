#include "lpot/tune/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/memory.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/weights_only.h"
#include "lpot/tune/bench.h"
#include "lpot/tune/deploy.h"
#include "lpot/tune/diagnosis.h"
#include "lpot/tune/edits_of_last.h"
#include "lpot/tune/help.h"
#include "lpot/tune/identity.h"
#include "lpot/tune/measure.h"
#include "lpot/tune/next_model.h"
#include "lpot/tune/record.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/status.h"
#include "lpot/tune/tensorboard.h"
#include "lpot/tune/workspace.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// From the store, or measured and stored before it is used.
StatisticsByPlan kept_statistics(Kept& kept, const Bench& bench, const Config& config, const Observer& observer) {
  return statistics_for(
      bench, config, observer,
      [&](const std::string& key) {
        const auto bytes = kept.get(key, Kept::Matters::Calibration);
        if (bytes) kept.put(key, *bytes);
        return bytes;
      },
      [&](const std::string& key, const std::string& bytes) { kept.put(key, bytes); });
}

Goal make_goal(const Config& config, const Evaluator& evaluator, double baseline) {
  Goal goal;
  goal.baseline = baseline;
  goal.tolerance = config.tuning.criterion.tolerance;
  goal.relative = config.tuning.criterion.relative;
  goal.higher_is_better = config.tuning.criterion.higher_is_better && evaluator.higher_is_better();
  goal.performance_only = config.tuning.exit_policy.performance_only;
  if (!std::isfinite(baseline) && !goal.performance_only)
    throw ModelError("tune",
                     "the fp32 model's accuracy on these data is not a finite number: its outputs, or the labels, hold "
                     "one that is not; is the preprocessing right?");
  if (goal.relative && baseline == 0 && evaluator.compares_with_fp32() && !goal.performance_only)
    throw ConfigError("tune",
                      "the metric compares with the fp32 model, whose own error is 0, of which a relative loss means "
                      "nothing; use tuning.accuracy_criterion.absolute: the largest error that is allowed");
  if (goal.relative && baseline == 0 && !goal.performance_only)
    throw ConfigError("tune",
                      "the fp32 model's accuracy is 0, of which a relative loss means nothing; use "
                      "tuning.accuracy_criterion.absolute");
  return goal;
}

// One plan and no other.
class OnlyPlan : public Strategy {
 public:
  explicit OnlyPlan(Plan plan) : plan_(std::move(plan)) {}
  std::optional<Step> next(const SearchSpace&, const History& history) const override {
    return history.find(plan_) ? std::nullopt : std::optional(Step{plan_});
  }

 private:
  Plan plan_;
};

// Ops whose weights take half the range, because their sums could overflow.
std::vector<std::string> narrowed_ops(const Plan& carried) {
  std::vector<std::string> names;
  for (const auto& [name, op] : carried.ops)
    if (op.precision == Precision::Int8 && op.weight.bits == 7) names.push_back(name);
  return names;
}

std::optional<SavedOnnx> saved_onnx(const fs::path& folder) {
  const fs::path path = folder / "model.onnx";
  if (!fs::exists(path)) return std::nullopt;
  return SavedOnnx{path, fs::file_size(path)};
}

}  // namespace

Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides) {
  return load_config(files, overrides, component_tables());
}

TuneResult tune(const Config& config, const TuneOptions& options, const Observer& caller) {
  const auto start = Clock::now();
  const RuntimeSeconds runtime_before = runtime_seconds();
  const std::shared_ptr<const Strategy> strategy =
      options.own.strategy.strategy ? options.own.strategy.strategy : make_strategy(config.tuning.strategy);
  const std::unique_ptr<Crew> crew = make_crew(options.team);
  const auto evaluator = make_evaluator(config, options.own, crew.get());
  evaluator->expect_many();
  Bench bench = make_bench(config, options.model, options.own, caller);
  bench.crew = crew.get();

  // Data that do not fit the model are told before anything is written.
  const bool has_data = options.own.evaluation_data || config.accuracy.loader;
  const DataLoader samples = evaluator->data() ? *evaluator->data()
                             : has_data        ? evaluation_loader(config, options.own)
                                               : bench.calibration;
  Meter meter(bench.model, *evaluator, samples, {.warmup = config.performance ? config.performance->warmup : 5});

  if (crew)
    compare_with_helpers(*crew, bench.model,
                         {.calibration = &bench.calibration, .evaluation = has_data ? &samples : nullptr}, caller);

  Workspace workspace(workspace_path(config, bench.model));
  const fs::path output = options.output.empty() ? workspace.path() / "best" : options.output;
  make_folder(output);  // before any work is done that could not be saved
  remove_leftovers(output);
  remove_leftovers(workspace.path());
  Store& store = workspace.store();
  const StudyIdentity identity = identity_of(bench, config, options.own, *evaluator);
  const StudyId study = open_study(store, identity, options.resume, options.shared_workspace);
  Kept kept(store, study, identity, evaluator->is_repeatable());
  StatusFile status(workspace.path(), study);
  const Observer observer = crew ? crew->watch(status.watch(caller)) : status.watch(caller);

  TuneResult result;
  result.study = study;
  result.cpu = bench.cpu;
  result.workspace = workspace.path();
  result.metric = evaluator->metric();
  result.shapes = static_shapes(bench.model, meter.sample(), samples.dataset().input_naming());
  const bool has_run_before = store.get(study, "baseline").has_value();
  bool has_measured_baseline = false;
  result.baseline = measured_from_json(kept.get_or("baseline", Kept::Matters::Evaluation, [&] {
    const Measured measured = meter.baseline(observer);
    has_measured_baseline = true;
    kept.put("notes of the baseline", evaluator->notes());
    return to_json(measured);
  }));
  result.objective = config.tuning.objective;
  result.goal = make_goal(config, *evaluator, result.baseline.accuracy);
  if (!has_measured_baseline) {
    for (const char* notes : {"notes of the baseline", "notes of the first model"})
      if (const auto bytes = kept.get(notes, Kept::Matters::Evaluation)) evaluator->restore(*bytes);
    evaluator->prepare(bench.model, observer);
  }
  record_about(store, study, bench, result, options.command);
  if (options.on_baseline) options.on_baseline(result.baseline, result.goal);
  auto stage = Clock::now();
  const StatisticsByPlan statistics = kept_statistics(kept, bench, config, observer);
  result.times.calibration = seconds_since(stage);
  if (crew) tell_statistics(*crew, statistics, observer);
  const Statistics& first_statistics = statistics.of(first_plan(bench.space));
  const Plan all_int8 = first_plan(bench.space);
  const CarryOut carry_out = carried_out(bench, config, statistics);
  EditsOfLast edits(bench.model, statistics, carry_out);
  stage = Clock::now();
  const std::string forms = kept.get_or("forms", Kept::Matters::Forms, [&] {
    FormOptions form_options{.compiled = &meter.compiled()};
    form_options.write = [&](const Plan& in_forms) {
      Plan plan = all_int8;
      for (auto& [name, op] : plan.ops) op.form = in_forms.ops.at(name).form;
      return edits.model(plan);
    };
    // A short evaluation is not to be outlasted by them.
    if (meter.evaluation_seconds() > 0)
      form_options.seconds = std::clamp(0.03 * meter.evaluation_seconds(), 0.15, form_options.seconds);
    const FormMemory memory(options.form_memory, bench.cpu);
    return to_json(measure_forms(bench, carry_out(first_plan(bench.space)), first_statistics, meter.sample(), config,
                                 form_options, memory, observer));
  });
  result.times.forms = seconds_since(stage);
  apply_forms(bench, forms_from_json(forms), config, observer);
  offer_noise(bench, first_statistics, [&](const Plan& plan) -> const Edits& { return edits.of(plan); });
  const std::string seconds_key = "seconds_before_trials";
  store.put(study, seconds_key, std::to_string(seconds_since(start)));
  const double seconds_before = std::stod(*store.get(study, seconds_key));

  std::optional<TensorBoard> board;
  if (config.tuning.tensorboard) board.emplace(workspace.path(), study, bench);
  const std::size_t watched_samples =
      is_dynamic(config) ? 0 : std::min(config.quantization.sampling_sizes.front(), bench.calibration.size());
  if (board && store.trials(study).empty()) board->add_fp32(result.baseline, first_statistics, observer);

  const auto deployment = [&](const Trial& trial) {
    return Deployment{bench.name,    bench.model, carry_out(trial.plan), bench.cpu, options.command,
                      result.shapes, result.goal, result.baseline,       trial};
  };
  const auto save = [&](const Trial& trial) {
    save_deployment(output, edits.of(trial.plan), deployment(trial), observer);
    if (options.on_saved) options.on_saved(bench.model, trial.plan, edits.of(trial.plan), output);
  };
  NextModel next;
  const auto quantized = [&](const Plan& plan, Step::Kind kind) {
    if (auto made = next.take(plan)) edits.put(plan, std::move(made->edits), std::move(made->model));
    next.runs(kind);
    if (options.on_quantized) options.on_quantized(bench.model, edits.of(plan));
    Model model = edits.model(plan);
    if (crew) model.recipe = recipe_of(carry_out(plan));
    return model;
  };
  const bool may_end_early = !strategy->needs_scores() && result.goal.higher_is_better && !result.goal.performance_only;
  StudyWork work;
  work.complete = [&](const Plan& plan, const Observer& watched) {
    return meter.measure(quantized(plan, Step::Kind::Try), watched);
  };
  work.complete_seconds = [&](const Trial& trial) {
    const auto evaluated = static_cast<double>(std::max<std::size_t>(1, trial.result->samples));
    const double seconds = trial.seconds * static_cast<double>(result.baseline.samples) / evaluated;
    return meter.evaluation_seconds() > 0 ? std::min(seconds, meter.evaluation_seconds()) : seconds;
  };
  work.attempt = [&](const Plan& plan, const Observer& watched) {
    if (auto known = kept.score(plan)) {
      known->samples = 0;  // nothing is evaluated again
      return *known;
    }
    if (!may_end_early) return work.complete(plan, watched);
    return meter.measure_unless_below(result.goal.lowest(), quantized(plan, Step::Kind::Try), watched);
  };
  work.probe = [&](const Plan& plan, const Observer& watched) {
    return meter.distance_from_fp32(quantized(plan, Step::Kind::Probe), strategy->distance_kind(), watched);
  };
  // Of a large model there is room for one at a time, and helpers have cores of their own to compile on.
  if (!crew && bench.model.size_bytes < kLargeModel) {
    evaluator->compile_with(next);
    meter.compile_with(next);
    work.expect = [&](const Step& step) {
      next.expect(step, [&bench, &edits, plan = carry_out(step.plan)] {
        Edits made = edits.resolved(plan);
        Model model = apply(bench.model, made);
        return NextModel::Made{std::move(made), std::move(model)};
      });
    };
  }
  const StudyEvents events{[&](const Trial& trial, bool is_best) {
                             if (trial.number == 1) kept.put("notes of the first model", evaluator->notes());
                             if (is_best) save(trial);
                             if (options.on_trial) options.on_trial(trial, is_best);
                             if (board) board->add_trial(trial, edits.of(trial.plan), watched_samples, observer);
                           },
                           save};

  Study loop(store, study,
             {bench.space, result.goal, config.tuning.objective, config.tuning.exit_policy, config.tuning.random_seed,
              seconds_before});
  // Strategies look for int8 models; where none is worth having, what is left is tried as it is.
  const Plan first = first_plan(bench.space);
  const OnlyPlan stays_fp32(first);
  const Strategy& search = first.int8_count() > 0 ? *strategy : static_cast<const Strategy&>(stays_fp32);
  StudyOutcome outcome = loop.run(search, work, events, observer);

  // A run that was killed after a trial was stored and before its model was saved left that to its successor.
  if (outcome.best && !is_deployed(output, deployment(*outcome.best))) save(*outcome.best);
  if (outcome.best) {
    result.model = output / "model.xml";
    result.model_bytes = fs::file_size(output / "model.xml") + fs::file_size(output / "model.bin");
    result.onnx = saved_onnx(output);
  }
  result.goal_met = outcome.goal_met;
  result.reason = outcome.reason;
  result.best = std::move(outcome.best);
  result.trials = std::move(outcome.trials);
  result.probes = std::move(outcome.probes);
  result.seconds = result.times.before_trials = seconds_before;
  result.times.baseline = meter.evaluation_seconds();
  result.times.first_evaluation = meter.first_evaluation_seconds();
  result.evaluation_samples = result.baseline.samples;
  result.runtime = {runtime_seconds().compiling - runtime_before.compiling,
                    runtime_seconds().inferring - runtime_before.inferring};
  result.evaluated_samples = has_run_before || has_measured_baseline ? result.baseline.samples : 0;
  if (!result.probes.empty())  // fp32 runs on their samples too
    result.evaluated_samples += (result.probes.size() + 1) * meter.probe_samples();
  for (const Probe& probe : result.probes) result.seconds += probe.seconds;
  for (const Trial& trial : result.trials) {
    result.seconds += trial.seconds;
    if (trial.result) result.evaluated_samples += trial.result->samples;
  }
  record_end(store, study, result);
  if (!store.get(study, "diagnosis")) {
    stage = Clock::now();
    const Plan carried = carry_out(all_int8);
    const std::size_t calibrated = std::min(config.quantization.sampling_sizes.front(), bench.calibration.size());
    record_diagnosis(store, study,
                     diagnose(bench, calibrated, first_statistics, bench.space.noise(), narrowed_ops(carried),
                              forms_from_json(forms)),
                     carried, first_statistics);
    observer.log(LogLevel::Debug, fmt::format("diagnosed for the report in {:.2f} s", seconds_since(stage)));
  }
  return result;
}

QuantizeResult quantize_once(const Config& config, const TuneOptions& options, const Observer& observer) {
  const std::unique_ptr<Crew> crew = make_crew(options.team);
  Bench bench = make_bench(config, options.model, options.own, observer);
  bench.crew = crew.get();
  if (crew && !is_dynamic(config))
    compare_with_helpers(*crew, bench.model, {.calibration = &bench.calibration}, observer);
  const StatisticsByPlan all = statistics_for(
      bench, config, observer, [](const std::string&) { return std::nullopt; },
      [](const std::string&, const std::string&) {});
  const Statistics& statistics = all.of(first_plan(bench.space));
  const CarryOut carry_out = carried_out(bench, config, all);
  const std::vector<Tensor> sample = first_sample(bench.model, bench.calibration);
  apply_forms(bench,
              measure_forms(bench, carry_out(first_plan(bench.space)), statistics, sample, config, {},
                            {options.form_memory, bench.cpu}, observer),
              config, observer);
  const Plan plan = carry_out(first_plan(bench.space));
  const Edits edits = resolve(bench.model, plan, statistics);
  const fs::path output = options.output.empty() ? workspace_path(config, bench.model) / "quantized" : options.output;
  remove_leftovers(output);
  QuantizeResult result;
  result.shapes = static_shapes(bench.model, sample, bench.calibration.dataset().input_naming());
  result.model_bytes = save_deployment(
      output, edits, {bench.name, bench.model, plan, bench.cpu, options.command, result.shapes}, observer);
  if (options.on_saved) options.on_saved(bench.model, plan, edits, output);
  result.plan = plan;
  result.model = output / "model.xml";
  result.onnx = saved_onnx(output);
  result.source_bytes = bench.model.size_bytes;
  result.int8_ops = plan.int8_count();
  result.fp32_ops = plan.ops.size() - plan.int8_count();
  if (is_dynamic(config)) {
    result.activations = describe_activations(plan, bench.cpu);
    return result;
  }
  result.calibration_samples = std::min(config.quantization.sampling_sizes.front(), bench.calibration.size());
  return result;
}

}  // namespace lpot
