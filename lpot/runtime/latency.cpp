#include "lpot/runtime/latency.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "lpot/core/error.h"
#include "lpot/core/text.h"

namespace lpot {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

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
  return {nearest_rank(times_ms, 0.25), nearest_rank(times_ms, 0.5), nearest_rank(times_ms, 0.9),
          nearest_rank(times_ms, 0.99), times_ms.size()};
}

Contender::Contender(Executable& model, std::vector<std::vector<Tensor>> batches)
    : model_(&model), batches_(std::move(batches)) {}

double Contender::run_ms() {
  const std::vector<Tensor>& batch = batches_[next_++ % batches_.size()];
  const auto start = Clock::now();
  model_->infer(batch);
  return milliseconds_since(start);
}

std::vector<Latency> measure_latency(std::vector<Contender> models, const LatencyOptions& options) {
  std::vector<std::vector<double>> times(models.size());
  for (Contender& model : models)
    for (int i = 0; i < std::max(1, options.warmup); ++i) model.run_ms();

  const auto start = Clock::now();
  const auto enough = [&] {
    return std::all_of(times.begin(), times.end(),
                       [&](const auto& of_model) { return of_model.size() >= options.min_runs; }) &&
           (milliseconds_since(start) >= options.seconds * 1000.0 || times.front().size() >= options.max_runs);
  };
  for (std::size_t round = 0; !enough(); ++round)
    for (std::size_t turn = 0; turn < models.size(); ++turn) {
      // Every other round goes backwards, so that no model always follows the same one.
      const std::size_t model = round % 2 == 0 ? turn : models.size() - 1 - turn;
      if (times[model].size() >= options.max_runs) continue;
      const auto turn_start = Clock::now();
      // Brings the model back into the cache; not counted. One that fills its turn is hardly the slower for it.
      if (times[model].empty() || times[model].back() < kTurnMs) models[model].run_ms();
      do {
        times[model].push_back(models[model].run_ms());
      } while (milliseconds_since(turn_start) < kTurnMs && times[model].size() < options.max_runs);
    }
  std::vector<Latency> result;
  for (auto& of_model : times) result.push_back(summarize(std::move(of_model)));
  return result;
}

std::vector<Tensor> made_up_inputs(const Model& model, std::size_t batch_size, const InputShapes& shapes) {
  const std::vector<Port> ports = model_inputs(model);
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  for (const auto& [name, shape] : shapes)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw ModelError("bench", fmt::format("the model has no input '{}'{}; its inputs are {}", name,
                                            did_you_mean(name, names), fmt::join(names, ", ")));

  std::mt19937 random(1978);
  std::normal_distribution<float> normal;
  std::vector<Tensor> inputs;
  for (const Port& port : ports) {
    const auto given = shapes.find(port.name);
    const std::vector<std::int64_t>& wanted = given == shapes.end() ? port.shape : given->second;
    Shape shape;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] < 0 && i > 0)
        throw ModelError(
            "bench",
            fmt::format(
                "input {} has a dynamic dimension besides the batch: give its shape, for example --shape {}=1,128",
                port.describe(), port.name));
      shape.push_back(i == 0 && given == shapes.end() ? batch_size : static_cast<std::size_t>(wanted[i]));
    }
    Tensor tensor(parse_element_type(port.element_type), shape);
    if (tensor.element_type() == ElementType::F32)
      std::generate_n(tensor.data<float>(), tensor.size(), [&] { return normal(random); });
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace lpot
