// A trial is a record: written once, never changed. One that failed is a record too.
//
//   if (trial.result) std::cout << trial.number << ": " << trial.result->accuracy << "\n";
//   else std::cout << trial.number << " failed: " << trial.error << "\n";
//
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lpot/plan/plan.h"

namespace lpot {

// The measurements of one model.
struct Measured {
  double accuracy = 0;                                  // of the first metric, which tuning uses
  std::vector<std::pair<std::string, double>> metrics;  // all metrics
  double latency_ms = 0;                                // lower quartile (p25) of the runs, batch 1
  // Compared with fp32 in the same interleaved run, so that it is comparable between trials when the load changes.
  double speedup = 1;
  std::size_t size_bytes = 0;       // of the weights
  std::size_t footprint_bytes = 0;  // weights and activations during inference
  std::size_t samples = 0;          // number of evaluated samples
  // false: the evaluation ended early, when it was certain that the goal is not met. The accuracy is an estimate.
  bool complete = true;

  bool operator==(const Measured&) const = default;
};

struct Trial {
  std::size_t number = 0;  // from 1
  Plan plan;
  std::optional<Measured> result;  // unset: the trial failed
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

std::string to_json(const Measured&);
Measured measured_from_json(const std::string&);  // throws StoreError

}  // namespace lpot
