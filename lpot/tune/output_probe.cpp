#include "lpot/tune/output_probe.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lpot/distributed/batch_executor.h"

namespace lpot {
namespace {

// The number of samples on which outputs are compared. If it is more than one batch, it is rounded down to whole
// batches, because a short batch is padded and costs as much as a full one.
std::size_t samples_to_compare(const DataLoader& samples, std::size_t wanted) {
  const std::size_t count = wanted > 0 ? wanted : std::clamp<std::size_t>(samples.size() / 20, 8, 32);
  const std::size_t batch = samples.options().batch_size;
  return count > batch ? count / batch * batch : count;
}

// `count` positions out of `size`, evenly spread; all positions if there are fewer.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  count = std::min(size, count);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < count; ++i) positions.push_back(i * size / count);
  return positions;
}

// The first steps of a few sequences, evenly spread. Later steps would need all steps before them.
std::vector<std::size_t> first_steps(const DataLoader& samples) {
  constexpr std::size_t kSequences = 4, kSteps = 32;
  const std::vector<std::size_t>& starts = samples.sequence_starts();
  std::vector<std::size_t> positions;
  for (const std::size_t sequence : spread(starts.size(), kSequences)) {
    const std::size_t end = sequence + 1 < starts.size() ? starts[sequence + 1] : samples.size();
    for (std::size_t i = starts[sequence]; i < std::min(end, starts[sequence] + kSteps); ++i) positions.push_back(i);
  }
  return positions;
}

// Stores all outputs. The pass runs in this process only, so nothing is encoded.
class OutputCollector : public BatchCollector {
 public:
  void add(ExecutedBatch batch) override { outputs_.push_back(std::move(batch.outputs)); }
  nlohmann::json worker_order() const override { return {}; }
  std::unique_ptr<BatchEncoder> make_encoder() const override { return nullptr; }
  void add_encoded(std::span<const std::size_t>, std::string_view) override {}
  Outputs release() { return std::move(outputs_); }

 private:
  Outputs outputs_;
};

}  // namespace

OutputProbe::OutputProbe(const Model& fp32, const DataLoader& samples, std::size_t count)
    : fp32_(fp32),
      loader_(samples),
      positions_(fp32.state.empty() ? spread(samples.size(), samples_to_compare(samples, count))
                                    : first_steps(samples)) {}

Outputs OutputProbe::outputs_of(const Model& model, const Observer& observer) const {
  OutputCollector collector;
  LocalExecutor()
      .open({.model = model,
             .loader = loader_,
             .runner = {.full_batch_shapes = {}, .ahead = ahead_},
             .with_labels = false})
      ->run({.positions = positions_}, collector, observer);
  return collector.release();
}

double OutputProbe::distance_from_fp32(const Model& model, DistanceKind kind, const Observer& observer) {
  if (fp32_outputs_.empty()) fp32_outputs_ = outputs_of(fp32_, observer);
  return distance(outputs_of(model, observer), fp32_outputs_, kind);
}

}  // namespace lpot
