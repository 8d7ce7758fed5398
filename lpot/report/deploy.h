// deploy.yaml: describes a saved model (plan, scores, machine, versions) and the command that reproduces it.
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
  std::string command;  // that reproduces the model
  StaticShapes shapes = {};
  // Only for a tuned model, not for one that was quantized once.
  std::optional<Goal> goal = {};
  std::optional<Measurement> baseline = {};
  std::optional<Trial> trial = {};
};

std::string deploy_yaml(const Deployment&);

// Applies the edits to the source and saves model.xml and model.bin into the folder, also the files of other formats
// (output_formats.h), and deploy.yaml last. Logs a warning where the model cannot be written in another format. Returns
// the bytes of model.xml and model.bin. Throws StoreError.
std::size_t save_deployment(const std::filesystem::path& folder, const Edits&, const Deployment&, const Observer& = {});

// Whether the folder has the complete model of this trial: same source, plan and result.
bool is_deployed(const std::filesystem::path& folder, const Deployment&);

// Input shapes by name from static_shapes of the folder's deploy.yaml; empty where there is no such file or key.
std::map<std::string, std::vector<std::int64_t>> deployed_shapes(const std::filesystem::path& folder);

// The files of other formats in the folder.
std::vector<ExportedModel> saved_exports(const std::filesystem::path& folder);

// Removes the temporary files of processes that were killed while they saved a model.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace lpot
