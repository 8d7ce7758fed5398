#include "lpot/runtime/latency.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/core/text.h"

namespace lpot {
namespace {

double nearest_rank(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

// The shape with a common size in place of each dynamic dimension: 224 for images, 128 for texts.
std::vector<std::int64_t> example_shape(std::vector<std::int64_t> shape) {
  const std::int64_t common = shape.size() >= 4 ? 224 : 128;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0) shape[i] = i == 0 ? 1 : common;
  return shape;
}

}  // namespace

Latency summarize(std::vector<double> times_ms) {
  if (times_ms.empty()) return {};
  std::sort(times_ms.begin(), times_ms.end());
  return {nearest_rank(times_ms, 0.25), nearest_rank(times_ms, 0.5), nearest_rank(times_ms, 0.9),
          nearest_rank(times_ms, 0.99), times_ms.size()};
}

TimedModel::TimedModel(Executable& model, std::vector<std::vector<Tensor>> batches)
    : model_(&model), batches_(std::move(batches)) {}

double TimedModel::run_ms() {
  const std::vector<Tensor>& batch = batches_[next_++ % batches_.size()];
  const auto start = Clock::now();
  model_->infer(batch);
  return 1000 * seconds_since(start);
}

std::vector<Tensor> generate_inputs(const Model& model, std::size_t batch_size, const InputShapes& shapes) {
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
        throw ModelError("bench", fmt::format("input {} has a dynamic dimension besides the batch; set its shape, for "
                                              "example --shape {}={}",
                                              port.describe(), port.name, fmt::join(example_shape(port.shape), ",")));
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
