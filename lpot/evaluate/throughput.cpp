#include "lpot/evaluate/throughput.h"

#include <algorithm>

#include "lpot/core/large_models.h"

namespace lpot {
namespace {

constexpr std::size_t kTypicalBatch = 32;
constexpr std::size_t kMaxBatchBytes = std::size_t{32} << 20;  // of the inputs of a batch
constexpr double kClearly = 0.95;                              // a time above this share of the best is no gain

// Whether the batch size may change. Not if the model has a fixed batch, if an incomplete last batch is dropped (other
// samples would be dropped), or if rows are padded to the longest of their batch.
bool may_change_batch(const Model& model, const DataLoader& loader) {
  if (loader.options().drop_last || loader.dataset().names_are_hints()) return false;
  const std::vector<Port> inputs = model_inputs(model);
  return std::all_of(inputs.begin(), inputs.end(),
                     [](const Port& input) { return !input.shape.empty() && input.shape[0] < 0; });
}

std::size_t sample_bytes(const DataLoader& loader) {
  std::size_t bytes = 0;
  for (const Tensor& input : loader.sample(0).inputs) bytes += input.byte_size();
  return bytes;
}

}  // namespace

std::vector<Throughput> throughput_choices(const Model& model, const DataLoader& loader, int threads) {
  std::vector<Throughput> choices{{}};
  if (model.size_bytes >= kLargeModel || loader.size() == 0) return choices;  // no memory for several compilations
  if (!model.state.empty()) return choices;  // another session would not have the states of the sequences
  if (loader.options().batch_size < kTypicalBatch && loader.size() > kTypicalBatch && may_change_batch(model, loader) &&
      kTypicalBatch * sample_bytes(loader) <= kMaxBatchBytes)
    choices.push_back({kTypicalBatch, 0});
  if (threads > 1) choices.push_back({choices.back().batch_size, 1});
  return choices;
}

Throughput choose_throughput(const std::vector<Throughput>& choices, const ThroughputOptions& options,
                             const RunSamples& run) {
  Throughput best = choices.front();
  if (choices.size() == 1) return best;
  double best_time = 0;       // per sample
  double compile_time = 0;    // of the first choice
  std::size_t evaluated = 0;  // samples
  for (const Throughput& choice : choices) {
    const std::size_t rows = choice.batch_size > 0 ? choice.batch_size : options.batch_size;
    const std::size_t round = rows * static_cast<std::size_t>(choice.streams > 0 ? choice.streams : options.threads);
    const bool is_first = &choice == &choices.front();
    const double remaining_time = best_time * static_cast<double>(options.samples * options.evaluations - evaluated);
    if (evaluated + 3 * round > options.samples || (!is_first && compile_time > options.share * remaining_time)) break;
    const double cold = run(choice, round);
    const double time = run(choice, 2 * round) / static_cast<double>(2 * round);
    evaluated += 3 * round;
    if (is_first) compile_time = cold - time * static_cast<double>(round);
    if (!is_first && time >= kClearly * best_time) continue;
    best = choice;
    best_time = time;
  }
  return best;
}

DataLoader with_batch_size(const DataLoader& loader, const Throughput& throughput) {
  if (throughput.batch_size == 0) return loader;
  LoaderOptions options = loader.options();
  options.batch_size = throughput.batch_size;
  return loader.with(options);
}

}  // namespace lpot
