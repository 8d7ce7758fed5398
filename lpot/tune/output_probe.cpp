#include "lpot/tune/output_probe.h"

#include <algorithm>

namespace lpot {
namespace {

// The number of samples that outputs are compared on. More than one batch is rounded to whole batches, because a short
// batch is filled up and costs as much.
std::size_t samples_to_compare(const DataLoader& samples, std::size_t wanted) {
  const std::size_t count = wanted > 0 ? wanted : std::clamp<std::size_t>(samples.size() / 20, 8, 32);
  const std::size_t batch = samples.options().batch_size;
  return count > batch ? count / batch * batch : count;
}

// `count` positions out of `size`, evenly spread; all when there are fewer.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  count = std::min(size, count);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < count; ++i) positions.push_back(i * size / count);
  return positions;
}

}  // namespace

OutputProbe::OutputProbe(const Model& fp32, const DataLoader& samples, std::size_t count)
    : fp32_(fp32), loader_(samples), positions_(spread(samples.size(), samples_to_compare(samples, count))) {}

Outputs OutputProbe::outputs_of(const Model& model, const Observer& observer) const {
  Runner runner(model, loader_.dataset().input_naming(), {.full_batch_shapes = {}, .ahead = ahead_});
  BatchStream batches = loader_.read(positions_);
  Outputs outputs;
  runner.run(
      [&]() -> std::optional<std::vector<Tensor>> {
        observer.check_stop();
        auto batch = batches.next();
        return batch ? std::optional(std::move(batch->inputs)) : std::nullopt;
      },
      [&](std::vector<Tensor> of_batch) { outputs.push_back(std::move(of_batch)); });
  return outputs;
}

double OutputProbe::distance_from_fp32(const Model& model, DistanceKind kind, const Observer& observer) {
  if (fp32_outputs_.empty()) fp32_outputs_ = outputs_of(fp32_, observer);
  return distance(outputs_of(model, observer), fp32_outputs_, kind);
}

}  // namespace lpot
