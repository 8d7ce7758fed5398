#include "lpot/runtime/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "lpot/core/error.h"

namespace lpot {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

// A turn of about this length keeps a model's own weights in the cache, as they are in real use.
constexpr double kTurnMs = 10.0;

double nearest_rank(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace

Latency summarize(std::vector<double> times_ms) {
  if (times_ms.empty()) return {};
  std::sort(times_ms.begin(), times_ms.end());
  return {nearest_rank(times_ms, 0.5), nearest_rank(times_ms, 0.9), nearest_rank(times_ms, 0.99), times_ms.size()};
}

std::vector<Latency> measure_latency(const std::vector<Executable*>& models, const std::vector<std::vector<Tensor>>& inputs, const LatencyOptions& options) {
  std::vector<std::vector<double>> times(models.size());
  const auto run = [&](std::size_t model) {
    const auto start = Clock::now();
    models[model]->infer(inputs[model]);
    return milliseconds_since(start);
  };
  for (std::size_t model = 0; model < models.size(); ++model)
    for (int i = 0; i < std::max(1, options.warmup); ++i) run(model);

  const auto start = Clock::now();
  const auto enough = [&] {
    return std::all_of(times.begin(), times.end(), [&](const auto& of_model) { return of_model.size() >= options.min_runs; }) &&
           (milliseconds_since(start) >= options.seconds * 1000.0 || times.front().size() >= options.max_runs);
  };
  for (std::size_t round = 0; !enough(); ++round)
    for (std::size_t turn = 0; turn < models.size(); ++turn) {
      // Every other round goes backwards, so that no model always follows the same one.
      const std::size_t model = round % 2 == 0 ? turn : models.size() - 1 - turn;
      const auto turn_start = Clock::now();
      run(model);  // brings the model back into the cache; not counted
      do {
        times[model].push_back(run(model));
      } while (milliseconds_since(turn_start) < kTurnMs);
    }
  std::vector<Latency> result;
  for (auto& of_model : times) result.push_back(summarize(std::move(of_model)));
  return result;
}

std::vector<Tensor> made_up_inputs(const Model& model, std::size_t batch_size) {
  std::mt19937 random(1978);
  std::vector<Tensor> inputs;
  for (const Port& port : model_inputs(model)) {
    Shape shape;
    for (std::size_t i = 0; i < port.shape.size(); ++i) {
      if (i == 0) {
        shape.push_back(batch_size);
      } else if (port.shape[i] >= 0) {
        shape.push_back(static_cast<std::size_t>(port.shape[i]));
      } else {
        throw ModelError("bench", fmt::format("input {} has a dynamic dimension besides the batch: give its shape with --shape", port.describe()));
      }
    }
    Tensor tensor(parse_element_type(port.element_type), shape);
    if (tensor.element_type() == ElementType::F32)
      std::generate_n(tensor.data<float>(), tensor.size(), [&] { return std::normal_distribution<float>(0.0f, 1.0f)(random); });
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace lpot
