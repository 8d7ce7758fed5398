#include "lpot/tune/measure.h"

#include "lpot/core/error.h"
#include "lpot/model/save.h"
#include "lpot/runtime/fit.h"
#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

std::size_t footprint(const Executable& executable) {
  std::size_t bytes = 0;
  for (const ExecutedOp& op : executable.executed_ops()) bytes += op.output_bytes;
  return bytes;
}

}  // namespace

std::vector<Tensor> first_sample(const Model& model, const DataLoader& loader) {
  LoaderOptions options = loader.options();
  options.batch_size = 1;
  options.drop_last = false;
  options.workers = 0;
  const auto batch = loader.with(options).read({0}).next();
  if (!batch) throw DataError("evaluate", "the data set is empty");
  return InputFit(model, loader.dataset().input_names()).apply(batch->inputs);
}

Meter::Meter(const Model& fp32, Evaluator& evaluator, const DataLoader& samples, MeasureOptions options)
    : fp32_(fp32), evaluator_(evaluator), options_(options), sample_(first_sample(fp32, samples)) {}

Executable Meter::compile(const Model& model) const {
  std::vector<Shape> shapes;
  for (const Tensor& input : sample_) shapes.push_back(input.shape());
  try {
    return Executable(model, {.input_shapes = shapes});
  } catch (const ModelError&) {  // some graphs cannot be reshaped; they run as they are
    return Executable(model);
  }
}

void Meter::measure_speed(const Model& model, Measured& measured) {
  if (!fp32_executable_) fp32_executable_ = std::make_unique<Executable>(compile(fp32_));
  Executable executable = compile(model);
  const auto latency = measure_latency({{*fp32_executable_, {sample_}}, {executable, {sample_}}},
                                       {.warmup = options_.warmup, .seconds = options_.latency_seconds});
  measured.latency_ms = latency[1].median_ms;
  measured.speedup = latency[0].median_ms / latency[1].median_ms;
  measured.footprint_bytes = footprint(executable);
}

Measured Meter::measured(const Model& model, const Score& score, std::size_t size_bytes) {
  Measured measured{score.accuracy(), score.metrics};
  measured.samples = score.samples;
  measured.size_bytes = size_bytes;
  measure_speed(model, measured);
  return measured;
}

Measured Meter::baseline(const Observer& observer) {
  Measured result = measured(fp32_, evaluator_.baseline(fp32_, observer), fp32_.size_bytes);
  result.speedup = 1.0;
  return result;
}

Measured Meter::measure(const Model& model, const Observer& observer) {
  return measured(model, evaluator_.score(model, observer), saved_size(model));
}

}  // namespace lpot
