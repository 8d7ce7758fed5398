// A trial is the record of one evaluated plan. It is written once. Only its result may change later, when an exact
// score replaces an estimate (Store::update_score). A failed trial is recorded too.
//
//   if (trial.result) std::cout << trial.number << ": " << trial.result->accuracy << "\n";
//   else std::cout << trial.number << " failed: " << trial.error << "\n";
//
#pragma once
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lpot/plan/plan.h"

namespace lpot {

struct Measurement;
double lowest_speedup(const Measurement&);  // of the confidence interval; the speedup if it has none
double highest_speedup(const Measurement&);

// The measurements of one model. A new one needs
// - its row in visit_fields below, which the store uses to write and read it
// - its line in each report that shows it: measured_json (report/study_view.cpp), result_json (report/result.cpp),
//   write_measured (report/deploy.cpp), encode_scores (report/tensorboard.cpp), row_of (cli/show.cpp)
struct Measurement {
  double accuracy = 0;                                  // of the first metric, which tuning uses
  std::vector<std::pair<std::string, double>> metrics;  // all metrics
  double latency_ms = 0;                                // lower quartile (p25) of the runs, batch 1
  // Speed-up against fp32. Both models run alternately in the same run, so that speed-ups of trials can be compared
  // even if the load changes. The median of many short comparisons, and its 95% confidence interval. The interval is 0
  // to 0 in studies of older versions.
  double speedup = 1, speedup_low = 0, speedup_high = 0;
  // Speed-up against the model without int8 in the default precision of the runtime, in the same run. 0: the default is
  // f32, so `speedup` is this value.
  double speedup_vs_default = 0;
  int cores = 0;                    // number of cores for latency and speed; 0: all
  std::size_t size_bytes = 0;       // of the weights
  std::size_t footprint_bytes = 0;  // weights and activations during inference
  std::size_t samples = 0;          // number of evaluated samples
  // false: the evaluation stopped early, because the goal could not be met any more. The accuracy is an estimate.
  bool complete = true;

  bool operator==(const Measurement&) const = default;
};

struct Trial {
  std::size_t number = 0;  // from 1
  Plan plan;
  std::optional<Measurement> result;  // unset: the trial failed
  std::string error;
  double seconds = 0;

  bool operator==(const Trial&) const = default;
};

// How a probe measures a distance: a mean over all values of an output. RootMeanSquare gives more weight to a few
// samples with large errors.
// ChangedAnswers: the expected share of answers that change (tune/changed_answers.h).
enum class DistanceKind { Mean, RootMeanSquare, ChangedAnswers };

// A quick check of a plan on a few samples. Level 0: the distance of its outputs from the outputs of the fp32 model,
// relative to their magnitude. Levels 1 and 2: an estimate of its accuracy, with more samples at level 2.
struct Probe {
  Plan plan;
  double distance = 0;  // infinite: the probe failed
  double seconds = 0;
  std::size_t before_trial = 0;  // number of the next trial
  int level = 0;
  // Levels 1 and 2: the estimated loss of accuracy against fp32 and its standard error. Unset: the evaluation is a
  // program or a function of the user, so the expected share of changed answers is the distance.
  std::optional<double> loss = {};
  double loss_error = 0;
  // The standard deviation of the loss over plans with as much noise (evaluate/loss_sample.h). Unset: the metric has no
  // values of single samples.
  std::optional<double> loss_spread = {};
  std::size_t samples = 0;       // levels 1 and 2: number of evaluated samples
  std::size_t used_samples = 0;  // number of samples that `loss` is computed from, also those of an earlier level

  bool operator==(const Probe&) const = default;
};

std::string to_json(const Probe&);
Probe probe_from_json(const std::string&);  // throws StoreError

// Calls visit(name, field) for each field except `metrics`, with its name in JSON.
template <typename Values, typename Visit>
requires std::same_as<std::remove_const_t<Values>, Measurement>
void visit_fields(Values& measured, Visit&& visit) {
  visit("accuracy", measured.accuracy);
  visit("latency_ms", measured.latency_ms);
  visit("speedup", measured.speedup);
  visit("speedup_low", measured.speedup_low);
  visit("speedup_high", measured.speedup_high);
  visit("speedup_vs_default", measured.speedup_vs_default);
  visit("cores", measured.cores);
  visit("size_bytes", measured.size_bytes);
  visit("footprint_bytes", measured.footprint_bytes);
  visit("samples", measured.samples);
  visit("complete", measured.complete);
}

std::string to_json(const Measurement&);
Measurement measurement_from_json(const std::string&);  // throws StoreError

}  // namespace lpot
