// deploy.yaml: what stands beside a saved model so that it can be understood and made again.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "lpot/core/cpu.h"
#include "lpot/model/model.h"
#include "lpot/quantize/plan.h"
#include "lpot/store/trial.h"
#include "lpot/tune/goal.h"

namespace lpot {

struct Deployment {
  std::string model_name;
  const Model& source;
  Plan plan;
  Cpu cpu;
  std::string command;  // that makes it again
  // Of a tuned model; a model that was quantized once has none of them.
  std::optional<Goal> goal = {};
  std::optional<Measured> baseline = {};
  std::optional<Trial> trial = {};
};

std::string deploy_yaml(const Deployment&);

// Saves model.xml, model.bin and deploy.yaml into the folder; returns the model's bytes. Throws StoreError.
std::size_t save_deployment(const std::filesystem::path& folder, const Model& int8, const Deployment&);

// The trial that the folder's complete model came from, or nothing when there is none.
std::optional<std::size_t> deployed_trial(const std::filesystem::path& folder, const Plan& expected);

}  // namespace lpot
