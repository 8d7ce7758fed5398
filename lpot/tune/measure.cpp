#include "lpot/tune/measure.h"

#include "lpot/core/error.h"
#include "lpot/model/save.h"
#include "lpot/runtime/fit.h"
#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

std::vector<Tensor> first_sample(const Model& model, const DataLoader& loader) {
  LoaderOptions options = loader.options();
  options.batch_size = 1;
  options.drop_last = false;
  options.workers = 0;
  const auto batch = loader.with(options).read({0}).next();
  if (!batch) throw DataError("evaluate", "the evaluation data set is empty");
  return InputFit(model, loader.dataset().input_names()).apply(batch->inputs);
}

std::size_t footprint(const Executable& executable) {
  std::size_t bytes = 0;
  for (const ExecutedOp& op : executable.executed_ops()) bytes += op.output_bytes;
  return bytes;
}

}  // namespace

Meter::Meter(const Model& fp32, const DataLoader& loader, const std::vector<NamedMetric>& metrics,
             MeasureOptions options)
    : fp32_(fp32), loader_(loader), metrics_(metrics), options_(options), sample_(first_sample(fp32, loader)) {}

Executable Meter::compile(const Model& model) const {
  std::vector<Shape> shapes;
  for (const Tensor& input : sample_) shapes.push_back(input.shape());
  try {
    return Executable(model, {.input_shapes = shapes});
  } catch (const ModelError&) {  // some graphs cannot be reshaped; they run as they are
    return Executable(model);
  }
}

Score Meter::score(const Model& model, const Observer& observer, bool is_baseline) {
  EvaluateOptions options;
  options.postprocess = options_.postprocess;
  if (is_baseline) {
    baseline_outputs_.clear();
    options.keep_outputs = &baseline_outputs_;
  } else {
    options.baseline = &baseline_outputs_;
  }
  return evaluate(model, loader_, metrics_, options, observer);
}

void Meter::measure_speed(const Model& model, Measured& measured) {
  if (!fp32_executable_) fp32_executable_ = std::make_unique<Executable>(compile(fp32_));
  Executable executable = compile(model);
  const auto latency = measure_latency({fp32_executable_.get(), &executable}, {sample_, sample_},
                                       {.warmup = options_.warmup, .seconds = options_.latency_seconds});
  measured.latency_ms = latency[1].median_ms;
  measured.speedup = latency[0].median_ms / latency[1].median_ms;
  measured.footprint_bytes = footprint(executable);
}

void Meter::prepare_baseline_outputs(const Observer& observer) {
  if (needs_baseline(metrics_) && baseline_outputs_.empty()) score(fp32_, observer, true);
}

Measured Meter::baseline(const Observer& observer) {
  const Score result = score(fp32_, observer, true);
  Measured measured{result.accuracy(), result.metrics};
  measured.samples = result.samples;
  measured.size_bytes = fp32_.size_bytes;
  measure_speed(fp32_, measured);
  measured.speedup = 1.0;
  return measured;
}

Measured Meter::measure(const Model& model, const Observer& observer) {
  const Score result = score(model, observer, false);
  Measured measured{result.accuracy(), result.metrics};
  measured.samples = result.samples;
  measured.size_bytes = saved_size(model);
  measure_speed(model, measured);
  return measured;
}

}  // namespace lpot
