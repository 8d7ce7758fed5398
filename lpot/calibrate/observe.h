// One streaming pass over the calibration data.
//
//   Statistics statistics = observe(model, {{"conv1", 0, 1}}, loader, {.sampling_sizes = {100}}).back();
//
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/model/model.h"
#include "lpot/share/jobs.h"

namespace lpot {

class Crew;

// A tensor to watch: the input of an op, and where its channels lie.
struct ObservationPoint {
  std::string tensor;    // as tensor_name says
  int channel_axis = 1;  // negative: from the end
};

// The name of a tensor: its producer's name and, where that has several outputs, the output's number ("split:1").
std::string tensor_name(const ov::Node& producer, std::size_t output);

struct ObserveOptions {
  std::vector<std::size_t> sampling_sizes = {100};  // a snapshot of the statistics is kept at each
  int threads = 0;
  Crew* crew = nullptr;  // whose processes share the work; the statistics are the same
};

struct Calibration {
  std::vector<Statistics> snapshots;  // one per sampling size, in rising order
  std::size_t samples = 0;            // that were read: fewer than asked for when the data end
};

// Throws DataError (no data, a value that is not finite: with the tensor and the sample) and ModelError.
Calibration observe(const Model&, const std::vector<ObservationPoint>&, const DataLoader&, const ObserveOptions&,
                    const Observer& = {});

// What a helper of the crew does when `observe` asks for it.
Duty observe_work(const nlohmann::json& order, int rank, const Model&, const DataLoader&);
inline constexpr const char* kObserveOrder = "calibrate";  // its order's "work"

}  // namespace lpot
