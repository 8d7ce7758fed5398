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

// What was measured of a model.
struct Measured {
  double accuracy = 0;                                  // of the metric that is tuned for
  std::vector<std::pair<std::string, double>> metrics;  // all of them
  double latency_ms = 0;                                // lower quartile (p25) of the runs, batch 1
  double speedup =
      1;  // against fp32 in the same interleaved run: comparable between trials when the machine's load changes
  std::size_t size_bytes = 0;       // of the weights
  std::size_t footprint_bytes = 0;  // weights and activations while it runs
  std::size_t samples = 0;          // that were evaluated
  bool complete = true;             // else the evaluation ended when it was certain that the goal is not met, and the
                                    // accuracy is an estimate

  bool operator==(const Measured&) const = default;
};

struct Trial {
  std::size_t number = 0;  // from 1
  Plan plan;
  std::optional<Measured> result;  // nothing: it failed
  std::string error;
  double seconds = 0;

  bool operator==(const Trial&) const = default;
};

// How a probe measures a distance: a mean over all values of an output. A few samples that are far off weigh much in
// the second.
enum class DistanceKind { Mean, RootMeanSquare };

// A plan that was looked at only: how far its outputs are from the fp32 model's on a few samples, as a share of their
// magnitude.
struct Probe {
  Plan plan;
  double distance = 0;  // infinite: it failed
  double seconds = 0;
  std::size_t before_trial = 0;  // the number of the trial that came next

  bool operator==(const Probe&) const = default;
};

std::string to_json(const Probe&);
Probe probe_from_json(const std::string&);  // throws StoreError

std::string to_json(const Measured&);
Measured measured_from_json(const std::string&);  // throws StoreError

}  // namespace lpot
