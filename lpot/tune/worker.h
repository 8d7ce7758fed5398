// Several processes share one study. Rank 0 tunes like a single process. The other ranks call run_study_worker: they
// calibrate and evaluate the batches that rank 0 assigns to them. They read the model, the data and the configuration
// from their own files, and write nothing.
//
//   if (transport.rank() > 0) return run_study_worker(transport, [&] { return config; });
//   tune(config, {.model = "net.onnx", .transport = &transport});
//   dismiss_workers(transport);
//
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/distributed/coordinator.h"
#include "lpot/distributed/transport.h"
#include "lpot/model/model.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/user_components.h"

namespace lpot {

// Runs until rank 0 dismisses its workers. The configuration is read when it is needed. Errors are thrown at rank 0.
void run_study_worker(Transport&, std::function<Config()> config, UserComponents = {});

// The coordinator at rank 0; null for a single process or without a transport.
std::unique_ptr<Coordinator> make_coordinator(Transport*);

struct SharedData {
  const DataLoader* calibration = nullptr;
  const DataLoader* evaluation = nullptr;
};
// Throws the error of a worker that cannot read model or data, and DistributedError if these differ from rank 0's.
void compare_with_workers(Coordinator&, const Model&, const SharedData&, const Observer&);
// Sends the statistics with which workers build the models of plans.
void send_statistics(Coordinator&, const StatisticsByPlan&, const Observer&);

// Model::derivation of the model of a plan, and of the source that recipes rescaled.
std::string derivation_of(const Plan& final_plan);
std::string derivation_of(const Recipes& rescaling);

}  // namespace lpot
