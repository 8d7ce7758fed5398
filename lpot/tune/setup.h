// From a Config to the parts that the verbs work with.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/config/load.h"
#include "lpot/core/cpu.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/model/load.h"
#include "lpot/quantize/capability.h"
#include "lpot/quantize/space.h"
#include "lpot/tune/own.h"

namespace lpot {

class Crew;

// The registries of this program, for load_config.
const ComponentTables& component_tables();

// The data set that the config names, or `own` where there is one.
DataLoader make_loader(const LoaderConfig&, std::uint64_t seed, std::shared_ptr<const Dataset> own = {});

// The loader of evaluation.accuracy; throws ConfigError when the config has none.
DataLoader evaluation_loader(const Config&, const OwnParts& = {});

// How evaluation.accuracy says that models are scored. Throws ConfigError when it says neither by which metric nor by
// which command.
// `crew`: whose processes share the evaluations that are made with data.
std::unique_ptr<Evaluator> make_evaluator(const Config&, const OwnParts& = {}, Crew* crew = nullptr);

// The threads that `configs` asks for: cores_per_instance, else intra_num_of_threads, else 0 for all cores.
int configured_threads(const InstanceConfig&);

// The loader of quantization.calibration, else the evaluation's with a warning; throws ConfigError when there is
// neither.
DataLoader calibration_loader(const Config&, std::vector<std::string>& warnings, const OwnParts& = {});

// Where ranges are not calibrated, what speed is measured with: the calibration's or the evaluation's data, else one
// sample of zeros.
DataLoader speed_loader(const Config&, const Model&, const OwnParts& = {});

// The data that a study of this config begins with: those of calibration, or for speed where nothing is calibrated.
DataLoader first_loader(const Config&, const Model&, std::vector<std::string>& warnings, const OwnParts& = {});

// Where the config cuts the model, and the shapes it gives.
LoadOptions load_options(const ModelConfig&);

// Loads the model, cut where the config says; throws ConfigError when the config's framework cannot be this file's.
Model load_configured_model(const Config&, const std::filesystem::path&);

// Whether weights take half the range: as the config says, else as the CPU needs.
bool use_half_range(const Config&, const Cpu&);

}  // namespace lpot
