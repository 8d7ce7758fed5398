#include "lpot/tune/candidate_measurer.h"

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/model/save.h"
#include "lpot/runtime/fit.h"

namespace lpot {
namespace {

// Probes replace estimates of the accuracy if a program or a function of the user evaluates, so they use more samples.
constexpr std::size_t kBlackBoxSamples = 64;

// The inputs of a step inside the first sequence, with the state that the steps before it produced. A state of zeros
// would hide errors of kernels that read it.
std::vector<Tensor> step_with_state(const Model& model, const DataLoader& loader) {
  constexpr std::size_t kSteps = 8;
  const std::vector<std::size_t>& starts = loader.sequence_starts();
  const std::size_t length = starts.size() > 1 ? starts[1] : loader.size();
  const InputFit fit(model, loader.dataset().input_naming());
  Executable run(model);
  std::vector<Tensor> inputs, state;
  for (std::size_t i = 0; i < std::min(kSteps, length); ++i) {
    inputs = fit.apply(loader.read({i}).next()->inputs, state);
    const std::vector<Tensor> outputs = run.infer(inputs);
    state.clear();
    for (const StateBinding& bound : model.state) state.push_back(outputs.at(bound.output));
  }
  return inputs;
}

}  // namespace

std::vector<Tensor> first_sample(const Model& model, const DataLoader& loader) {
  LoaderOptions options = loader.options();
  options.batch_size = 1;
  options.drop_last = false;
  options.workers = 0;
  const DataLoader single = loader.with(options);
  if (!model.state.empty() && single.size() > 0) return step_with_state(model, single);
  const auto batch = single.read({0}).next();
  if (!batch) throw DataError("evaluate", "the data set has no samples; it needs at least one");
  return InputFit(model, loader.dataset().input_naming()).apply(batch->inputs);
}

CandidateMeasurer::CandidateMeasurer(const Model& fp32, Evaluator& evaluator, const DataLoader& samples,
                                     SpeedOptions options)
    : fp32_(fp32),
      evaluator_(evaluator),
      speed_(fp32, first_sample(fp32, samples), options),
      probe_(fp32, samples, evaluator.data() ? 0 : kBlackBoxSamples) {}

void CandidateMeasurer::compile_with(Compilations& ahead) {
  evaluator_.compile_with(ahead);
  probe_.compile_with(ahead);
}

Measurement CandidateMeasurer::with_speed(const Model& model, const Score& score, std::size_t size_bytes) {
  const bool is_fp32 = &model == &fp32_;
  if (!is_fp32 && first_evaluation_seconds_ == 0) first_evaluation_seconds_ = score.seconds;
  Measurement measured{score.accuracy(), score.metrics};
  measured.samples = score.samples;
  measured.complete = score.complete;
  measured.size_bytes = size_bytes;
  // The speed of a trial that misses the goal decides nothing, nor does the speed of fp32 alone: a short run is enough.
  const Speed speed =
      speed_.measure(model, !score.complete || is_fp32 ? SpeedMeter::Effort::Brief : SpeedMeter::Effort::Full);
  measured.latency_ms = speed.latency_ms;
  measured.speedup = speed.speedup.median;
  if (!is_fp32) {
    measured.speedup_low = speed.speedup.low;
    measured.speedup_high = speed.speedup.high;
  }
  if (speed.vs_default.blocks > 0) measured.speedup_vs_default = speed.vs_default.median;
  measured.cores = speed.cores;
  measured.footprint_bytes = speed.footprint_bytes;
  speed_.compiled().release_unused(0);
  return measured;
}

Measurement CandidateMeasurer::baseline(const Observer& observer) {
  const Score score = evaluator_.baseline(fp32_, observer);
  evaluation_seconds_ = score.seconds;
  speed_.adapt_to(score.seconds, score.samples);
  return with_speed(fp32_, score, fp32_.size_bytes);
}

Measurement CandidateMeasurer::measure(const Model& model, const Observer& observer) {
  return with_speed(model, evaluator_.score(model, observer), saved_size(model));
}

Measurement CandidateMeasurer::measure_unless_below(double lowest, const Candidate& candidate,
                                                    const Observer& observer) {
  const Score score = evaluator_.score_unless_below(lowest, candidate, observer);
  return with_speed(candidate.model, score, saved_size(candidate.model));
}

}  // namespace lpot
