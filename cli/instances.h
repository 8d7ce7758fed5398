// Instances of a benchmark: processes that run the same models at the same time, each bound to cores of its own.
//
// The parent starts `lpot bench ... --instance-cores 0,1` for each. Such a child loads and warms up its models, says
// so, and then runs whichever model the parent names, so that all instances run the same model at the same time and the
// models still take turns.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/runtime/latency.h"

namespace lpot::cli {

// The cores of each instance. Half-given settings are completed: as many instances as there is room for, all cores
// shared out. Empty when nothing is asked for. Throws ConfigError when there are not enough cores.
std::vector<std::vector<int>> share_out_cores(const std::vector<int>& usable, std::optional<int> instances,
                                              std::optional<int> cores_per_instance);

struct InstanceTimes {
  std::vector<std::vector<double>> ms;  // by model
};

// How long each model runs: `runs` inferences of each where given, else the time shared out.
struct InstanceBudget {
  double seconds = 5;  // all models together
  std::size_t runs = 0;
};

// Runs the instances to their end. `arguments`: the program's own, without the cores. Throws Error when one fails.
std::vector<InstanceTimes> run_instances(const std::vector<std::string>& arguments,
                                         const std::vector<std::vector<int>>& cores, std::size_t models,
                                         const InstanceBudget&);

// The child's side: answers the parent's requests until there are no more.
void serve_instance(std::vector<TimedModel>);

}  // namespace lpot::cli
