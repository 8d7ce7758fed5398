// The front door: a config and a model in, the best int8 model out.
//
//   Config config = load_config({"conf.yaml"});
//   TuneResult result = tune(config, {.model = "resnet20.onnx"});
//
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/cpu.h"
#include "lpot/core/observer.h"
#include "lpot/core/team.h"
#include "lpot/quantize/edits.h"
#include "lpot/quantize/forms/memory.h"
#include "lpot/runtime/executable.h"
#include "lpot/store/store.h"
#include "lpot/store/trial.h"
#include "lpot/tune/deploy.h"
#include "lpot/tune/goal.h"
#include "lpot/tune/own.h"
#include "lpot/tune/static_shapes.h"
#include "lpot/tune/study.h"

namespace lpot {

// load_config (config/load.h) with every component of this library.
Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides = {});

struct TuneOptions {
  std::filesystem::path model;
  std::filesystem::path output = {};  // "": the folder best in the workspace
  bool resume = false;
  bool shared_workspace = false;  // studies of other models may be in the workspace; else that is refused
  std::string command = {};       // for deploy.yaml
  std::filesystem::path form_memory = default_form_memory();  // "": what is measured of kernel forms is not remembered
  OwnParts own = {};
  Team* team = nullptr;  // whose other processes share the work while they are in `help` (help.h); this is its rank 0
  // Told as they come; both may be empty.
  std::function<void(const Measured&, const Goal&)> on_baseline = {};
  std::function<void(const Trial&, bool is_best)> on_trial = {};
  // For callers that write models in other formats: the source and what becomes of it, before a model is evaluated or
  // probed, and after it was saved in a folder. Both may be empty.
  std::function<void(const Model& source, const Edits&)> on_quantized = {};
  std::function<void(const Model& source, const Plan&, const Edits&, const std::filesystem::path&)> on_saved = {};
};

struct TuneResult {
  bool goal_met = false;
  StopReason reason = StopReason::NoPlanLeft;
  Goal goal;
  Objective objective = Objective::Performance;
  Measured baseline;
  std::optional<Trial> best;
  std::vector<Trial> trials;
  double seconds = 0;         // of this run and, after a resume, the runs before
  std::vector<Probe> probes;  // plans that were looked at with a few samples only
  // Parts of `seconds`; 0 for what an earlier run measured.
  struct Times {
    double before_trials = 0;  // all of the next three
    double baseline = 0;       // evaluation of the fp32 model
    double calibration = 0;
    double forms = 0;             // timing of kernel forms
    double first_evaluation = 0;  // of the first int8 model
  } times;
  std::size_t evaluation_samples = 0;  // of one whole evaluation
  RuntimeSeconds runtime = {};         // of `seconds`, in this run
  std::size_t evaluated_samples = 0;   // baseline, trials and probes
  std::filesystem::path model;         // the saved .xml; "" when no trial succeeded
  std::size_t model_bytes = 0;
  std::optional<SavedOnnx> onnx = {};
  StaticShapes shapes = {};  // that the model is fastest with
  std::filesystem::path workspace;
  StudyId study = 0;   // its number in the workspace
  std::string metric;  // the one that is tuned for
  Cpu cpu;
};

// Tunes, saves the best model after every trial that improves on it, and returns what was reached. Throws Error.
TuneResult tune(const Config&, const TuneOptions&, const Observer& = {});

struct QuantizeResult {
  Plan plan;
  std::filesystem::path model;
  std::size_t model_bytes = 0;
  std::optional<SavedOnnx> onnx = {};
  std::size_t source_bytes = 0;
  std::size_t int8_ops = 0;
  std::size_t fp32_ops = 0;  // quantizable ops that the config keeps in fp32
  std::size_t calibration_samples = 0;
  StaticShapes shapes = {};      // that the model is fastest with
  std::string activations = {};  // what becomes of them where only weights are quantized; "" else
};

// Quantizes once, with the first plan that `tune` would try, and evaluates nothing. Throws Error.
QuantizeResult quantize_once(const Config&, const TuneOptions&, const Observer& = {});

}  // namespace lpot
