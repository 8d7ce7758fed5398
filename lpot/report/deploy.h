// deploy.yaml: what stands beside a saved model so that it can be understood and made again.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/cpu.h"
#include "lpot/core/observer.h"
#include "lpot/model/model.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/plan.h"
#include "lpot/plan/trial.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/report/static_shapes.h"
#include "lpot/report/tune_result.h"

namespace lpot {

struct Deployment {
  std::string model_name;
  const Model& source;
  Plan plan;
  Cpu cpu;
  std::string command;  // that makes it again
  StaticShapes shapes = {};
  // Of a tuned model; a model that was quantized once has none of them.
  std::optional<Goal> goal = {};
  std::optional<Measured> baseline = {};
  std::optional<Trial> trial = {};
};

std::string deploy_yaml(const Deployment&);

// Carries the edits out on the source and saves model.xml and model.bin into the folder, model.onnx too when it came
// from ONNX, and deploy.yaml last. A model that cannot be written as ONNX is a warning. Returns the bytes of model.xml
// and model.bin. Throws StoreError.
std::size_t save_deployment(const std::filesystem::path& folder, const Edits&, const Deployment&, const Observer& = {});

// Whether the folder's complete model is the one of this trial: same source, plan and measured result.
bool is_deployed(const std::filesystem::path& folder, const Deployment&);

// Input shapes by name from static_shapes of the folder's deploy.yaml; empty where there is no such file or key.
std::map<std::string, std::vector<std::int64_t>> deployed_shapes(const std::filesystem::path& folder);

std::optional<SavedOnnx> saved_onnx(const std::filesystem::path& folder);

// Removes the temporary files of processes that were killed while they saved into the folder.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace lpot
