// Builds the parts that the commands need from a Config: loaders, evaluator, model, goal.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/config/load.h"
#include "lpot/core/cpu.h"
#include "lpot/core/with_warnings.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/model/load.h"
#include "lpot/plan/goal.h"
#include "lpot/tune/user_components.h"

namespace lpot {

class Coordinator;

// The registries of this program, for load_config.
const ComponentTables& component_tables();

// A loader for the data set `user`, or for the data set that the config names if `user` is null.
DataLoader make_loader(const LoaderConfig&, std::uint64_t seed, std::shared_ptr<const Dataset> user = {});

// Whether there is evaluation data. A dataloader without a data set only sets how the data of the user are read.
bool has_evaluation_data(const Config&, const UserComponents& = {});

// The loader of evaluation.accuracy; throws ConfigError when the config has none.
DataLoader evaluation_loader(const Config&, const UserComponents& = {});

// The evaluator that evaluation.accuracy describes. Throws ConfigError when it has neither a metric nor a command.
// `coordinator`: its workers share the evaluations; nullptr: this process evaluates alone. `executor` runs the models
// in another runtime.
std::unique_ptr<Evaluator> make_evaluator(const Config&, const UserComponents& = {}, Coordinator* coordinator = nullptr,
                                          std::shared_ptr<const BatchExecutor> executor = nullptr);

// The number of threads in `configs`: cores_per_instance, else intra_num_of_threads, else 0 for all cores.
int configured_threads(const InstanceConfig&);

// Whether there is separate calibration data. If not, calibration uses the evaluation data.
bool has_calibration_data(const Config&, const UserComponents& = {});

// The loader of quantization.calibration, or that of the evaluation with a warning. Throws ConfigError if there is
// neither.
WithWarnings<DataLoader> calibration_loader(const Config&, const UserComponents& = {});

// The data for speed measurements if nothing is calibrated: the calibration data, else the evaluation data, else one
// sample of zeros.
DataLoader speed_loader(const Config&, const Model&, const UserComponents& = {});

// The loader of the calibration data, or speed_loader if nothing is calibrated.
WithWarnings<DataLoader> first_loader(const Config&, const Model&, const UserComponents& = {});

// The inputs, outputs and input shapes that the config sets.
LoadOptions load_options(const ModelConfig&);

// Loads the model between the configured inputs and outputs. Throws ConfigError when model.framework does not read this
// format.
Model load_configured_model(const Config&, const std::filesystem::path&);

// Whether weights use half the int8 range. If the configuration does not set it, the CPU decides.
bool use_half_range(const Config&, const Cpu&);

// The goal that the configuration sets for a model whose fp32 accuracy is `baseline`. Throws Error if the criterion
// cannot be used with this baseline.
Goal make_goal(const Config&, const Evaluator&, double baseline);

}  // namespace lpot
