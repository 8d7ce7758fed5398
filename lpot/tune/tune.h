// The entry points of the library: a configuration and a model in, an int8 model out.
//
//   Config config = load_config({"conf.yaml"});
//   TuneResult result = tune(config, {.model = "resnet20.onnx"});
//   if (result.goal_met) std::cout << result.model << "\n";  // the saved int8 model
//
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/distributed/transport.h"
#include "lpot/plan/diagnosis.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/report/tune_result.h"
#include "lpot/tune/user_components.h"

namespace lpot {

struct Edits;  // quantize/graph/edits.h

// load_config (config/load.h) with every component of this library.
Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides = {});

struct TuneOptions {
  std::filesystem::path model = {};
  std::filesystem::path output = {};  // "": the folder best in the workspace
  bool resume = false;                // also if tuning.workspace.resume is set
  bool shared_workspace = false;      // allows studies of several models in one workspace
  std::string command = {};           // for deploy.yaml
  // The file that caches measured kernel variants; "": none.
  std::filesystem::path kernel_variant_cache = default_kernel_variant_cache();
  UserComponents user = {};
  Transport* transport = nullptr;  // to the workers that share the work (tune/worker.h); this process is rank 0

  // Functions of the caller; each may be empty.
  std::function<void(const Measurement&, const Goal&)> on_baseline = {};
  std::function<void(const Trial&, bool is_best)> on_trial = {};
  // For callers that write models in other formats: the source and its edits, before a model is evaluated or probed,
  // and after it was saved in a folder.
  std::function<void(const Model& source, const Edits&)> on_quantized = {};
  std::function<void(const Model& source, const Plan&, const Edits&, const std::filesystem::path&)> on_saved = {};
};

// Tunes, saves the best model after every trial that improves on it, and returns the result. Writes result.json
// beside the model and report.html into the workspace. Throws Error.
TuneResult tune(const Config&, const TuneOptions&, const Observer& = {});

struct QuantizeResult : SavedModel {
  Plan plan;
  std::size_t source_bytes = 0;
  std::size_t int8_ops = 0;
  std::size_t fp32_ops = 0;  // quantizable ops that the configuration keeps in fp32
  std::size_t calibration_samples = 0;
  std::string activations = {};  // how they are computed; "" unless only weights are quantized
};

// Quantizes once and evaluates nothing. The ranges and recipes are chosen without labels (tune/label_free.h). Throws
// Error.
QuantizeResult quantize_once(const Config&, const TuneOptions&, const Observer& = {});

// Calibrates, compares kernel variants, and diagnoses every op; the noisiest first. Nothing is tuned. Throws Error.
std::vector<OpDiagnosis> diagnose(const Config&, const TuneOptions&, const Observer& = {});

// What `tune` would do.
struct DryRun {
  std::size_t quantizable_ops = 0;
  std::size_t fixed_ops = 0;                               // ops that the configuration keeps in fp32
  InferencePrecision precision = InferencePrecision::F32;  // of everything that is not int8
  std::size_t schemes = 0;
  std::size_t calibration_samples = 0, calibration_size = 0;  // used samples, and size of the data set
  std::size_t evaluation_size = 0;
  std::filesystem::path workspace;
};

// Reads model and data and checks that they fit; writes nothing. Throws the same errors as `tune`.
DryRun dry_run(const Config&, const TuneOptions&, const Observer& = {});

}  // namespace lpot
