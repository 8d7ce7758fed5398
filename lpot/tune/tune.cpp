#include "lpot/tune/tune.h"

#include <fmt/format.h>

#include "lpot/core/clock.h"
#include "lpot/report/write_reports.h"
#include "lpot/runtime/executable.h"
#include "lpot/tune/data_warnings.h"
#include "lpot/tune/dynamic_shape_check.h"
#include "lpot/tune/int8_check_stage.h"
#include "lpot/tune/next_model.h"
#include "lpot/tune/precision_stage.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/stages.h"
#include "lpot/tune/worker.h"

namespace lpot {
namespace {

// The time and the runtime's seconds since the start.
class Stopwatch {
 public:
  double seconds() const { return seconds_since(start_); }
  RuntimeSeconds runtime() const {
    return {runtime_seconds().compiling - before_.compiling, runtime_seconds().inferring - before_.inferring};
  }

 private:
  Clock::time_point start_ = Clock::now();
  RuntimeSeconds before_ = runtime_seconds();
};

std::unique_ptr<Evaluator> make_tuning_evaluator(const Config& config, const UserComponents& user,
                                                 Coordinator* coordinator) {
  auto evaluator = make_evaluator(config, user, coordinator);
  evaluator->expect_many();
  return evaluator;
}

// The samples that speed is measured with and that probes compare outputs on.
DataLoader measurement_samples(const Config& config, const UserComponents& user, const Evaluator& evaluator,
                               const QuantizationTask& task) {
  if (evaluator.data()) return *evaluator.data();
  return has_evaluation_data(config, user) ? evaluation_loader(config, user) : task.calibration;
}

SpeedOptions speed_options(const Config& config) {
  return {.warmup = config.performance ? config.performance->warmup : SpeedOptions{}.warmup};
}

// Earlier runs of a study count too: the first run stored its time before the trials.
double seconds_before_trials(StudyWriter& record, double now) {
  record.set_seconds_before_trials(now);
  return *record.seconds_before_trials();
}

std::size_t count_samples(const TuneResult& result, const Baseline& baseline, std::size_t probe_samples) {
  std::size_t samples = baseline.was_evaluated ? baseline.measured.samples : 0;
  std::size_t distances = 0;
  for (const Probe& probe : result.probes) {
    samples += probe.samples;
    distances += probe.loss ? 0 : 1;
  }
  if (distances > 0) samples += (distances + 1) * probe_samples;  // fp32 runs on their samples too
  for (const Trial& trial : result.trials)
    if (trial.result) samples += trial.result->samples;
  return samples;
}

double total_seconds(const TuneResult& result) {
  double seconds = result.times.before_trials;
  for (const Probe& probe : result.probes) seconds += probe.seconds;
  for (const Trial& trial : result.trials) seconds += trial.seconds;
  return seconds;
}

TuneResult make_result(const TuningContext& context, const Baseline& baseline, SearchOutput found,
                       const StageSeconds& times) {
  TuneResult result{std::move(found.outcome), std::move(found.saved)};
  result.goal = baseline.goal;
  result.objective = context.config.tuning.objective;
  result.metric = context.evaluator.metric();
  result.baseline = baseline.measured;
  result.times = times;
  result.times.baseline = context.measurer.evaluation_seconds();
  result.times.first_evaluation = context.measurer.first_evaluation_seconds();
  result.seconds = total_seconds(result);
  result.evaluation_samples = baseline.measured.samples;
  result.evaluated_samples = count_samples(result, baseline, context.measurer.probe().samples());
  result.workspace = context.session.workspace();
  result.study = context.session.id();
  result.cpu = context.task.cpu;
  return result;
}

}  // namespace

TuneResult tune(const Config& config, const TuneOptions& options, const Observer& caller) {
  const Stopwatch watch;
  const auto coordinator = make_coordinator(options.transport);
  const auto evaluator = make_tuning_evaluator(config, options.user, coordinator.get());
  const QuantizationTask prepared = prepare_task(config, options.model, options.user, caller);
  best_path(options, config, prepared.model);  // throws before anything is written
  if (evaluator->data() && has_calibration_data(config, options.user) && !is_dynamic(config))
    if (const auto warning = same_data_warning(prepared.calibration, *evaluator->data()))
      caller.log(LogLevel::Warning, *warning);
  if (evaluator->data())
    if (const auto warning = skipped_warning(*evaluator->data(), "evaluation")) caller.log(LogLevel::Warning, *warning);
  const DataLoader samples = measurement_samples(config, options.user, *evaluator, prepared);
  CandidateMeasurer measurer(prepared.model, *evaluator, samples, speed_options(config));
  if (coordinator)
    compare_with_workers(*coordinator, prepared.model,
                         {.calibration = &prepared.calibration,
                          .evaluation = has_evaluation_data(config, options.user) ? &samples : nullptr},
                         caller);
  StudySession session(prepared, config, options, *evaluator);
  if (session.had_nothing_to_resume())
    caller.log(LogLevel::Warning,
               fmt::format("--resume: there is no study in {} yet; a new study starts", session.workspace().string()));
  const Observer observer = coordinator ? coordinator->watch(session.observe(caller)) : session.observe(caller);
  const TuningContext before{config, options, prepared, *evaluator, measurer, session, coordinator.get(), observer};
  StageSeconds times;

  const Baseline baseline = measure_baseline(before);
  record_study(before, baseline);
  if (options.on_baseline) options.on_baseline(baseline.measured, baseline.goal);

  const Stopwatch calibrating;
  StatisticsByPlan statistics =
      calibrate(prepared, config, {.executor = make_executor(coordinator.get()), .cache = &session.cache()}, observer);
  times.calibration = calibrating.seconds();
  if (coordinator) send_statistics(*coordinator, statistics, observer);
  SpeedMeter& speed = measurer.speed();
  const Compile compile = [&speed](const Model& model) { return speed.compile(model); };
  CheckedTask checked = with_checked_int8(prepared, config, statistics, speed.sample(), compile, observer);
  const QuantizationTask& task = checked.task;
  const TuningContext context{config, options, task, *evaluator, measurer, session, coordinator.get(), observer};

  PlanFinalizer finalizer(task, config, statistics);
  CandidateBuilder builder(task.model, statistics, &finalizer);
  if (auto& first = checked.first)
    builder.put(first_plan(task.choices), std::move(first->edits), std::move(first->model));
  const Statistics& of_first = statistics.of(first_plan(task.choices));
  const Stopwatch choosing;
  const PrecisionChoice precision = choose_precision(context, builder);
  const KernelVariantChoice variants = choose_kernel_variants(context, builder, choices_in(task, precision), of_first);
  times.kernel_variants = choosing.seconds();
  const SearchSpace space = build_search_space(context, builder, of_first, {precision, variants});

  const StaticShapes shapes = static_shapes(task.model, measurer.speed().sample(), samples.dataset().input_naming());
  times.before_trials = seconds_before_trials(session.record(), watch.seconds());
  const SearchInput input{space, statistics, baseline, shapes, times.before_trials};
  NextModel next;
  TuneResult result = make_result(context, baseline, search(context, builder, next, input), times);
  result.runtime = watch.runtime();
  if (const auto& best = result.best; best && best->plan.int8_count() > 0 && statistics.contains(best->plan))
    warn_about_dynamic_shapes(task.model, builder.model(best->plan), speed.sample(), compile, observer);
  record_end(context, builder, input, result);
  write_reports(session.store(), result, observer);
  return result;
}

}  // namespace lpot
