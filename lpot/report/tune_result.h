// What a tuning returns.
//
//   TuneResult result = tune(config, {.model = "resnet20.onnx"});
//   if (result.goal_met) std::cout << result.best->result->accuracy << " " << result.model << "\n";
//
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/clock.h"
#include "lpot/core/cpu.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/study_outcome.h"
#include "lpot/report/static_shapes.h"

namespace lpot {

// The same int8 model in another format, saved beside the .xml: "onnx" if the source is an ONNX model.
struct ExportedModel {
  std::string format;
  std::filesystem::path path;
  std::size_t bytes = 0;
};

struct SavedModel {
  std::filesystem::path model = {};  // the saved .xml; "": none
  std::size_t model_bytes = 0;
  std::vector<ExportedModel> exports = {};
  StaticShapes shapes = {};                                // to compile the model for
  InferencePrecision precision = InferencePrecision::F32;  // to compile the .xml with; other formats run in f32
};

// Parts of the time of a tuning; 0 for values that an earlier run measured.
struct StageSeconds {
  double before_trials = 0;  // includes the next three
  double baseline = 0;       // evaluation of the fp32 model
  double calibration = 0;
  double kernel_variants = 0;
  double first_evaluation = 0;  // of the first int8 model
};

struct TuneResult : StudyOutcome, SavedModel {
  Goal goal = {};
  Objective objective = Objective::Performance;
  std::string metric = {};  // the metric of the goal
  Measurement baseline = {};
  double seconds = 0;  // of this run and of the runs that it resumes
  StageSeconds times = {};
  RuntimeSeconds runtime = {};         // of `seconds`, in this run
  std::size_t evaluation_samples = 0;  // of one whole evaluation
  std::size_t evaluated_samples = 0;   // baseline, trials and probes
  std::filesystem::path workspace = {};
  StudyId study = 0;  // its number in the workspace
  Cpu cpu = {};
};

}  // namespace lpot
