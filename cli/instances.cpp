#include "cli/instances.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include "lpot/core/error.h"
#include "lpot/core/process.h"

namespace lpot::cli {
namespace {

constexpr std::size_t kRounds = 10;
const std::string kReady = "ready";

std::string answer(Process& instance) {
  if (auto line = instance.read_line()) return *line;
  throw ModelError("bench", "an instance ended before the measurement was complete; see its message above");
}

std::vector<double> numbers(const std::string& line) {
  std::istringstream words(line);
  std::vector<double> values;
  for (double value; words >> value;) values.push_back(value);
  return values;
}

}  // namespace

std::vector<std::vector<int>> assign_cores(const std::vector<int>& usable, std::optional<int> instances,
                                           std::optional<int> cores_per_instance) {
  if (!instances && !cores_per_instance) return {};
  const int available = static_cast<int>(usable.size());
  const int each = cores_per_instance.value_or(std::max(1, available / instances.value_or(1)));
  const int count = instances.value_or(std::max(1, available / each));
  if (count * each > available)
    throw ConfigError(
        "bench", fmt::format("{} instance{} of {} core{} need {} cores, but {} are usable; lower num_of_instance or "
                             "cores_per_instance",
                             count, count == 1 ? "" : "s", each, each == 1 ? "" : "s", count * each, available));
  std::vector<std::vector<int>> shares;
  for (auto first = usable.begin(); std::ssize(shares) < count; first += each) shares.emplace_back(first, first + each);
  return shares;
}

std::vector<InstanceTimes> run_instances(const std::vector<std::string>& arguments,
                                         const std::vector<std::vector<int>>& cores, std::size_t models,
                                         const InstanceBudget& budget) {
  std::vector<std::unique_ptr<Process>> instances;
  for (const std::vector<int>& share : cores) {
    std::vector<std::string> words{"/proc/self/exe"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.push_back(fmt::format("--instance-cores={}", fmt::join(share, ",")));
    instances.push_back(std::make_unique<Process>(words));
  }
  for (const auto& instance : instances)
    if (answer(*instance) != kReady) throw ModelError("bench", "an instance did not start");

  std::vector<InstanceTimes> times(instances.size(), {std::vector<std::vector<double>>(models)});
  const double turn_ms = budget.seconds * 1000 / static_cast<double>(kRounds * models);
  std::size_t runs_left = budget.runs;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::size_t runs = runs_left / (kRounds - round);
    runs_left -= runs;
    if (budget.runs > 0 && runs == 0) continue;
    for (std::size_t model = 0; model < models; ++model) {
      for (const auto& instance : instances) instance->write_line(fmt::format("{} {} {}", model, turn_ms, runs));
      for (std::size_t i = 0; i < instances.size(); ++i) {
        const std::vector<double> measured = numbers(answer(*instances[i]));
        times[i].ms[model].insert(times[i].ms[model].end(), measured.begin(), measured.end());
      }
    }
  }
  return times;
}

void serve_instance(std::vector<TimedModel> models) {
  std::cout << kReady << std::endl;
  std::size_t model = 0, runs = 0;
  double turn_ms = 0;
  while (std::cin >> model >> turn_ms >> runs) {
    models[model].run_ms();  // loads the model into the cache; not measured
    std::vector<double> times;
    double total = 0;
    while (runs > 0 ? times.size() < runs : times.empty() || total < turn_ms) {
      times.push_back(models[model].run_ms());
      total += times.back();
    }
    std::cout << fmt::format("{:.6f}", fmt::join(times, " ")) << std::endl;
  }
}

}  // namespace lpot::cli
