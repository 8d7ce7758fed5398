// A trial is a record: written once, never changed. One that failed is a record too.
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

// The measurements of one model. A new one needs its row in visit_fields below, by which the store writes and reads it,
// and the reports that show it: measured_json (report/study_view.cpp), result_json (report/result.cpp), write_measured
// (report/deploy.cpp), encode_scores (report/tensorboard.cpp), row_of (cli/show.cpp).
struct Measurement {
  double accuracy = 0;                                  // of the first metric, which tuning uses
  std::vector<std::pair<std::string, double>> metrics;  // all metrics
  double latency_ms = 0;                                // lower quartile (p25) of the runs, batch 1
  // Compared with fp32 in the same interleaved run, so that it is comparable between trials when the load changes. The
  // median of many short comparisons, and its 95% confidence interval; 0 and 0: unknown, as in older studies.
  double speedup = 1, speedup_low = 0, speedup_high = 0;
  // Compared with the model without int8 in the default precision of the runtime, in the same run; 0: that is f32.
  double speedup_vs_default = 0;
  int cores = 0;                    // that latency and speed were measured on; 0: all
  std::size_t size_bytes = 0;       // of the weights
  std::size_t footprint_bytes = 0;  // weights and activations during inference
  std::size_t samples = 0;          // number of evaluated samples
  // false: the evaluation ended early, when it was certain that the goal is not met. The accuracy is an estimate.
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
enum class DistanceKind { Mean, RootMeanSquare };

// A quick check of a plan on a few samples: the distance of its outputs from the outputs of the fp32 model, relative to
// their magnitude.
struct Probe {
  Plan plan;
  double distance = 0;  // infinite: the probe failed
  double seconds = 0;
  std::size_t before_trial = 0;  // number of the next trial

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
