// From a Config to the parts that the verbs work with.
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

// The data set that the config names, or `own` where there is one.
DataLoader make_loader(const LoaderConfig&, std::uint64_t seed, std::shared_ptr<const Dataset> user = {});

// The loader of evaluation.accuracy; throws ConfigError when the config has none.
DataLoader evaluation_loader(const Config&, const UserComponents& = {});

// How evaluation.accuracy says that models are scored. Throws ConfigError when it says neither by which metric nor by
// which command.
// `coordinator`: its workers share evaluations with data; nullptr: they run in this process.
std::unique_ptr<Evaluator> make_evaluator(const Config&, const UserComponents& = {},
                                          Coordinator* coordinator = nullptr);

// The threads that `configs` asks for: cores_per_instance, else intra_num_of_threads, else 0 for all cores.
int configured_threads(const InstanceConfig&);

// Whether calibration has data of its own; else it uses the evaluation's.
bool has_calibration_data(const Config&, const UserComponents& = {});

// The loader of quantization.calibration, else the evaluation's with a warning; throws ConfigError when there is
// neither.
WithWarnings<DataLoader> calibration_loader(const Config&, const UserComponents& = {});

// Where ranges are not calibrated, what speed is measured with: the calibration's or the evaluation's data, else one
// sample of zeros.
DataLoader speed_loader(const Config&, const Model&, const UserComponents& = {});

// The data that a study of this config begins with: those of calibration, or for speed where nothing is calibrated.
WithWarnings<DataLoader> first_loader(const Config&, const Model&, const UserComponents& = {});

// Where the config cuts the model, and the shapes it gives.
LoadOptions load_options(const ModelConfig&);

// Loads the model, cut where the config says; throws ConfigError when the config's framework cannot be this file's.
Model load_configured_model(const Config&, const std::filesystem::path&);

// Whether weights take half the range: as the config says, else as the CPU needs.
bool use_half_range(const Config&, const Cpu&);

// The goal that the configuration sets for a model whose fp32 accuracy is `baseline`. Throws Error where none follows
// from that.
Goal make_goal(const Config&, const Evaluator&, double baseline);

}  // namespace lpot
