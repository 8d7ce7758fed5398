// Stage "prepare": the model, its quantizable ops, what the configuration allows for them, and the calibration data.
//
//   const QuantizationTask task = prepare_task(config, "resnet20.onnx", {}, observer);
//   const Plan everything_in_int8 = first_plan(task.choices);
//
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/cpu.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/model/model.h"
#include "lpot/plan/search_space.h"
#include "lpot/tune/user_components.h"

namespace lpot {

struct QuantizationTask {
  Cpu cpu;
  std::string name;
  Model model;
  std::vector<QuantizableOp> ops;
  PlanChoices choices;     // what the configuration allows on this CPU
  PlanChoices full_range;  // the same with weights that use all 8 bits
  DataLoader calibration;
};

// Logs requests of the configuration that are not supported. Throws ConfigError and ModelError when there is nothing to
// quantize.
QuantizationTask prepare_task(const Config&, const std::filesystem::path& model, const UserComponents&,
                              const Observer&);

bool is_dynamic(const Config&);  // only weights are quantized: nothing is calibrated

// The number of calibration samples: the first sampling size, at most the size of the data.
std::size_t calibration_samples(const Config&, const QuantizationTask&);

}  // namespace lpot
