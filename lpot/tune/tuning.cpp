// The stages of `tune`, in their order, with what they share. Each reads back what an earlier run of its study stored.
#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/clock.h"
#include "lpot/core/file.h"
#include "lpot/core/memory.h"
#include "lpot/quantize/quantize.h"
#include "lpot/tune/bench.h"
#include "lpot/tune/deploy.h"
#include "lpot/tune/diagnosis.h"
#include "lpot/tune/edits_of_last.h"
#include "lpot/tune/help.h"
#include "lpot/tune/identity.h"
#include "lpot/tune/measure.h"
#include "lpot/tune/next_model.h"
#include "lpot/tune/quantization.h"
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
        auto bytes = kept.get(key, Kept::Matters::Calibration);
        if (bytes) kept.put(key, *bytes);
        return bytes;
      },
      [&](const std::string& key, const std::string& bytes) { kept.put(key, bytes); });
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

std::unique_ptr<Evaluator> evaluator_for_many(const Config& config, const OwnParts& own, Crew* crew) {
  auto evaluator = make_evaluator(config, own, crew);
  evaluator->expect_many();
  return evaluator;
}

std::shared_ptr<const Strategy> strategy_of(const Config& config, const OwnParts& own) {
  return own.strategy.strategy ? own.strategy.strategy : make_strategy(config.tuning.strategy);
}

class Tuning {
 public:
  // Data that do not fit the model are told before anything is written.
  Tuning(const Config&, const TuneOptions&, const Observer& caller);

  void measure_baseline();
  void calibrate();
  void choose_forms();
  void search();
  TuneResult finish();

 private:
  DataLoader samples_for_speed() const;
  fs::path workspace_after_checks() const;
  fs::path open_output();
  void begin_trials();
  StudyWork make_work();
  StudyEvents make_events();
  Model quantized(const Plan&, Step::Kind);
  Deployment deployment(const Trial&) const;
  void save(const Trial&);
  void take(StudyOutcome);
  void count_samples();
  void record_what_was_found();

  const Config& config_;
  const TuneOptions& options_;
  const Observer& caller_;
  Clock::time_point start_ = Clock::now();
  RuntimeSeconds runtime_before_ = runtime_seconds();
  std::shared_ptr<const Strategy> strategy_;
  std::unique_ptr<Crew> crew_;
  std::unique_ptr<Evaluator> evaluator_;
  Bench bench_;
  bool has_evaluation_data_;
  DataLoader samples_;
  Meter meter_;
  Workspace workspace_;
  fs::path output_;
  Store& store_;
  StudyIdentity identity_;
  StudyId study_;
  Kept kept_;
  StatusFile status_;
  Observer observer_;
  TuneResult result_;
  bool evaluates_baseline_ = false;  // in this run, or did in an earlier one of the study

  // From `calibrate` on.
  StatisticsByPlan statistics_;
  CarryOut carry_out_;
  Plan all_int8_;
  std::optional<EditsOfLast> edits_;
  std::string forms_;

  // While there are trials.
  double seconds_before_ = 0;
  NextModel next_;
  std::optional<TensorBoard> board_;
};

Tuning::Tuning(const Config& config, const TuneOptions& options, const Observer& caller)
    : config_(config),
      options_(options),
      caller_(caller),
      strategy_(strategy_of(config, options.own)),
      crew_(make_crew(options.team)),
      evaluator_(evaluator_for_many(config, options.own, crew_.get())),
      bench_(make_bench(config, options.model, options.own, caller)),
      has_evaluation_data_(options.own.evaluation_data || config.accuracy.loader),
      samples_(samples_for_speed()),
      meter_(bench_.model, *evaluator_, samples_, {.warmup = config.performance ? config.performance->warmup : 5}),
      workspace_(workspace_after_checks()),
      output_(open_output()),
      store_(workspace_.store()),
      identity_(identity_of(bench_, config, options.own, *evaluator_)),
      study_(open_study(store_, identity_, options.resume, options.shared_workspace)),
      kept_(store_, study_, identity_, evaluator_->is_repeatable()),
      status_(workspace_.path(), study_),
      observer_(crew_ ? crew_->watch(status_.watch(caller)) : status_.watch(caller)) {
  bench_.crew = crew_.get();
  result_.study = study_;
  result_.cpu = bench_.cpu;
  result_.workspace = workspace_.path();
  result_.metric = evaluator_->metric();
  result_.shapes = static_shapes(bench_.model, meter_.sample(), samples_.dataset().input_naming());
}

DataLoader Tuning::samples_for_speed() const {
  if (evaluator_->data()) return *evaluator_->data();
  return has_evaluation_data_ ? evaluation_loader(config_, options_.own) : bench_.calibration;
}

fs::path Tuning::workspace_after_checks() const {
  if (crew_)
    compare_with_helpers(*crew_, bench_.model,
                         {.calibration = &bench_.calibration, .evaluation = has_evaluation_data_ ? &samples_ : nullptr},
                         caller_);
  return workspace_path(config_, bench_.model);
}

// Before any work is done that could not be saved.
fs::path Tuning::open_output() {
  fs::path output = options_.output.empty() ? workspace_.path() / "best" : options_.output;
  make_folder(output);
  remove_leftovers(output);
  remove_leftovers(workspace_.path());
  return output;
}

void Tuning::measure_baseline() {
  evaluates_baseline_ = store_.get(study_, "baseline").has_value();
  bool is_new = false;
  result_.baseline = measured_from_json(kept_.get_or("baseline", Kept::Matters::Evaluation, [&] {
    const Measured measured = meter_.baseline(observer_);
    is_new = evaluates_baseline_ = true;
    kept_.put("notes of the baseline", evaluator_->notes());
    return to_json(measured);
  }));
  result_.objective = config_.tuning.objective;
  result_.goal = make_goal(config_, *evaluator_, result_.baseline.accuracy);
  if (!is_new) {
    for (const char* notes : {"notes of the baseline", "notes of the first model"})
      if (const auto bytes = kept_.get(notes, Kept::Matters::Evaluation)) evaluator_->restore(*bytes);
    evaluator_->prepare(bench_.model, observer_);
  }
  record_about(store_, study_, bench_, result_, options_.command);
  if (options_.on_baseline) options_.on_baseline(result_.baseline, result_.goal);
}

void Tuning::calibrate() {
  const auto stage = Clock::now();
  statistics_ = kept_statistics(kept_, bench_, config_, observer_);
  result_.times.calibration = seconds_since(stage);
  if (crew_) tell_statistics(*crew_, statistics_, observer_);
  all_int8_ = first_plan(bench_.space);
  carry_out_ = carried_out(bench_, config_, statistics_);
  edits_.emplace(bench_.model, statistics_, carry_out_);
}

void Tuning::choose_forms() {
  const auto stage = Clock::now();
  const Statistics& statistics = statistics_.of(all_int8_);
  forms_ = kept_.get_or("forms", Kept::Matters::Forms, [&] {
    FormOptions form_options{.compiled = &meter_.compiled()};
    form_options.write = [&](const Plan& in_forms) {
      Plan plan = all_int8_;
      for (auto& [name, op] : plan.ops) op.form = in_forms.ops.at(name).form;
      return edits_->model(plan);
    };
    // A short evaluation is not to be outlasted by them.
    if (meter_.evaluation_seconds() > 0)
      form_options.seconds = std::clamp(0.03 * meter_.evaluation_seconds(), 0.15, form_options.seconds);
    const FormMemory memory(options_.form_memory, bench_.cpu);
    return to_json(measure_forms(bench_, carry_out_(all_int8_), statistics, meter_.sample(), config_, form_options,
                                 memory, observer_));
  });
  result_.times.forms = seconds_since(stage);
  apply_forms(bench_, forms_from_json(forms_), config_, observer_);
  offer_noise(bench_, statistics, [&](const Plan& plan) -> const Edits& { return edits_->of(plan); });
}

void Tuning::begin_trials() {
  const std::string seconds_key = "seconds_before_trials";
  store_.put(study_, seconds_key, std::to_string(seconds_since(start_)));
  seconds_before_ = std::stod(*store_.get(study_, seconds_key));
  if (config_.tuning.tensorboard) board_.emplace(workspace_.path(), study_, bench_);
  if (board_ && store_.trials(study_).empty()) board_->add_fp32(result_.baseline, statistics_.of(all_int8_), observer_);
}

Deployment Tuning::deployment(const Trial& trial) const {
  return {bench_.name,    bench_.model, carry_out_(trial.plan), bench_.cpu, options_.command,
          result_.shapes, result_.goal, result_.baseline,       trial};
}

void Tuning::save(const Trial& trial) {
  const Edits& edits = edits_->of(trial.plan);
  save_deployment(output_, edits, deployment(trial), observer_);
  if (options_.on_saved) options_.on_saved(bench_.model, trial.plan, edits, output_);
}

Model Tuning::quantized(const Plan& plan, Step::Kind kind) {
  if (auto made = next_.take(plan)) edits_->put(plan, std::move(made->edits), std::move(made->model));
  next_.runs(kind);
  if (options_.on_quantized) options_.on_quantized(bench_.model, edits_->of(plan));
  Model model = edits_->model(plan);
  if (crew_) model.recipe = recipe_of(carry_out_(plan));
  return model;
}

StudyWork Tuning::make_work() {
  StudyWork work;
  work.complete = [this](const Plan& plan, const Observer& watched) {
    return meter_.measure(quantized(plan, Step::Kind::Try), watched);
  };
  work.complete_seconds = [this](const Trial& trial) {
    const auto evaluated = static_cast<double>(std::max<std::size_t>(1, trial.result->samples));
    const double seconds = trial.seconds * static_cast<double>(result_.baseline.samples) / evaluated;
    return meter_.evaluation_seconds() > 0 ? std::min(seconds, meter_.evaluation_seconds()) : seconds;
  };
  const Goal& goal = result_.goal;
  const bool may_end_early = !strategy_->needs_scores() && goal.higher_is_better && !goal.performance_only;
  work.attempt = [this, may_end_early, complete = work.complete](const Plan& plan, const Observer& watched) {
    if (auto known = kept_.score(plan)) {
      known->samples = 0;  // nothing is evaluated again
      return *known;
    }
    if (!may_end_early) return complete(plan, watched);
    return meter_.measure_unless_below(result_.goal.lowest(), quantized(plan, Step::Kind::Try), watched);
  };
  work.probe = [this](const Plan& plan, const Observer& watched) {
    return meter_.distance_from_fp32(quantized(plan, Step::Kind::Probe), strategy_->distance_kind(), watched);
  };
  // Of a large model there is room for one at a time, and helpers have cores of their own to compile on.
  if (!crew_ && bench_.model.size_bytes < kLargeModel) {
    evaluator_->compile_with(next_);
    meter_.compile_with(next_);
    work.expect = [this](const Step& step) {
      next_.expect(step, [this, plan = carry_out_(step.plan)] {
        Edits made = edits_->resolved(plan);
        Model model = apply(bench_.model, made);
        return NextModel::Made{std::move(made), std::move(model)};
      });
    };
  }
  return work;
}

StudyEvents Tuning::make_events() {
  const std::size_t watched_samples =
      is_dynamic(config_) ? 0 : std::min(config_.quantization.sampling_sizes.front(), bench_.calibration.size());
  return {[this, watched_samples](const Trial& trial, bool is_best) {
            if (trial.number == 1) kept_.put("notes of the first model", evaluator_->notes());
            if (is_best) save(trial);
            if (options_.on_trial) options_.on_trial(trial, is_best);
            if (board_) board_->add_trial(trial, edits_->of(trial.plan), watched_samples, observer_);
          },
          [this](const Trial& best) { save(best); }};
}

void Tuning::search() {
  begin_trials();
  Study loop(store_, study_,
             {bench_.space, result_.goal, config_.tuning.objective, config_.tuning.exit_policy,
              config_.tuning.random_seed, seconds_before_});
  // Strategies look for int8 models; where none is worth having, what is left is tried as it is.
  const Plan first = first_plan(bench_.space);
  const OnlyPlan stays_fp32(first);
  const Strategy& strategy = first.int8_count() > 0 ? *strategy_ : static_cast<const Strategy&>(stays_fp32);
  StudyOutcome outcome = loop.run(strategy, make_work(), make_events(), observer_);
  // A run that was killed after a trial was stored and before its model was saved left that to its successor.
  if (outcome.best && !is_deployed(output_, deployment(*outcome.best))) save(*outcome.best);
  take(std::move(outcome));
}

void Tuning::take(StudyOutcome outcome) {
  if (outcome.best) {
    result_.model = output_ / "model.xml";
    result_.model_bytes = fs::file_size(output_ / "model.xml") + fs::file_size(output_ / "model.bin");
    result_.onnx = saved_onnx(output_);
  }
  result_.goal_met = outcome.goal_met;
  result_.reason = outcome.reason;
  result_.best = std::move(outcome.best);
  result_.trials = std::move(outcome.trials);
  result_.probes = std::move(outcome.probes);
  result_.seconds = result_.times.before_trials = seconds_before_;
  for (const Probe& probe : result_.probes) result_.seconds += probe.seconds;
  for (const Trial& trial : result_.trials) result_.seconds += trial.seconds;
}

void Tuning::count_samples() {
  result_.evaluation_samples = result_.baseline.samples;
  result_.evaluated_samples = evaluates_baseline_ ? result_.baseline.samples : 0;
  if (!result_.probes.empty())  // fp32 runs on their samples too
    result_.evaluated_samples += (result_.probes.size() + 1) * meter_.probe_samples();
  for (const Trial& trial : result_.trials)
    if (trial.result) result_.evaluated_samples += trial.result->samples;
}

void Tuning::record_what_was_found() {
  record_end(store_, study_, result_);
  if (store_.get(study_, "diagnosis")) return;
  const auto stage = Clock::now();
  const Plan carried = carry_out_(all_int8_);
  const Statistics& statistics = statistics_.of(all_int8_);
  const std::size_t calibrated = std::min(config_.quantization.sampling_sizes.front(), bench_.calibration.size());
  record_diagnosis(
      store_, study_,
      diagnose(bench_, calibrated, statistics, bench_.space.noise(), narrowed_ops(carried), forms_from_json(forms_)),
      carried, statistics);
  observer_.log(LogLevel::Debug, fmt::format("diagnosed for the report in {:.2f} s", seconds_since(stage)));
}

TuneResult Tuning::finish() {
  result_.times.baseline = meter_.evaluation_seconds();
  result_.times.first_evaluation = meter_.first_evaluation_seconds();
  result_.runtime = {runtime_seconds().compiling - runtime_before_.compiling,
                     runtime_seconds().inferring - runtime_before_.inferring};
  count_samples();
  record_what_was_found();
  return std::move(result_);
}

}  // namespace

TuneResult tune(const Config& config, const TuneOptions& options, const Observer& observer) {
  Tuning tuning(config, options, observer);
  tuning.measure_baseline();
  tuning.calibrate();
  tuning.choose_forms();
  tuning.search();
  return tuning.finish();
}

}  // namespace lpot
