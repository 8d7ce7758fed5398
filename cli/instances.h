// Instances of a benchmark: processes that run the same models at the same time, each bound to its own cores.
//
// The parent starts `lpot bench ... --instance-cores 0,1` for each instance. The child loads and warms up its models,
// reports that it is ready, and then runs the model that the parent requests. So all instances run the same model at
// the same time, and the models run alternately.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/runtime/latency.h"

namespace lpot::cli {

// The cores of each instance. If only one of the two settings is given, the other follows from the number of usable
// cores. Empty when neither is given. Throws ConfigError when there are not enough cores.
std::vector<std::vector<int>> assign_cores(const std::vector<int>& usable, std::optional<int> instances,
                                           std::optional<int> cores_per_instance);

struct InstanceTimes {
  std::vector<std::vector<double>> ms;  // by model
};

// The length of the measurement: `runs` inferences of each model if set, else `seconds`.
struct InstanceBudget {
  double seconds = 5;  // all models together
  std::size_t runs = 0;
};

// Runs the instances to their end. `arguments`: the program's own, without the cores. Throws Error when one fails.
std::vector<InstanceTimes> run_instances(const std::vector<std::string>& arguments,
                                         const std::vector<std::vector<int>>& cores, std::size_t models,
                                         const InstanceBudget&);

// Runs in the child: answers the requests of the parent until its input ends.
void serve_instance(std::vector<TimedModel>);

}  // namespace lpot::cli
