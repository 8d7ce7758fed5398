// The stages of a tuning that need more than the task: baseline, kernel variants, search space, search, report. `tune`
// calls them in this order; each returns a value for the next one. Stages that others use alone have their own headers
// (quantization_task.h, plan_statistics.h, kernel_variant_stage.h).
#pragma once
#include <map>
#include <string>

#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/study_outcome.h"
#include "lpot/tune/candidate_builder.h"
#include "lpot/tune/candidate_measurer.h"
#include "lpot/tune/study_session.h"
#include "lpot/tune/tune.h"

namespace lpot {

class NextModel;

// What all stages of one tuning share. It refers to objects of `tune`.
struct TuningContext {
  const Config& config;
  const TuneOptions& options;
  const QuantizationTask& task;
  Evaluator& evaluator;
  CandidateMeasurer& measurer;
  StudySession& session;
  Coordinator* coordinator;  // nullptr: this process works alone
  const Observer& observer;
};

struct Baseline {
  Measurement measured;
  Goal goal;
  bool was_evaluated = false;  // in this study, not copied from another study
};
// The fp32 model's accuracy and speed, from the store or measured now. Throws Error if the goal cannot be computed.
Baseline measure_baseline(const TuningContext&);

// What the configuration allows, with the measured inference precision.
PlanChoices choices_in(const QuantizationTask&, const PrecisionChoice&);

// From the store, or measured with the first plan of the choices.
KernelVariantChoice choose_kernel_variants(const TuningContext&, CandidateBuilder&, const PlanChoices&,
                                           const Statistics&);

// Measurements of the stages before the search.
struct SpeedChoices {
  PrecisionChoice precision;
  KernelVariantChoice variants;
};

// Everything that strategies may choose from, with the measured times and the expected noise of every op. Context and
// statistics must outlive the result.
SearchSpace build_search_space(const TuningContext&, CandidateBuilder&, const Statistics&, const SpeedChoices&);

struct SearchInput {
  const SearchSpace& space;
  StatisticsByPlan& statistics;  // the search adds those of further calibration passes
  const Baseline& baseline;
  const StaticShapes& shapes;
  double seconds_before = 0;
};
struct SearchOutput {
  StudyOutcome outcome;
  SavedModel saved;
};
// Tries plans until the goal is met or the budget is spent, and saves each best model. `next` builds models ahead.
SearchOutput search(const TuningContext&, CandidateBuilder&, NextModel& next, const SearchInput&);

// Store the data that reports show besides trials. record_study, before the search: model, goal, machine and ops.
// record_end, after the search: why it ended, and the diagnosis of the ops.
void record_study(const TuningContext&, const Baseline&);
void record_end(const TuningContext&, CandidateBuilder&, const SearchInput&, const TuneResult&);

}  // namespace lpot
