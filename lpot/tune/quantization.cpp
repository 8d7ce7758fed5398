#include "lpot/tune/quantization.h"

#include <algorithm>

#include "lpot/quantize/quantize.h"
#include "lpot/quantize/weights_only.h"
#include "lpot/tune/bench.h"
#include "lpot/tune/deploy.h"
#include "lpot/tune/help.h"
#include "lpot/tune/measure.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/workspace.h"

namespace lpot {
namespace fs = std::filesystem;

Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides) {
  return load_config(files, overrides, component_tables());
}

QuantizeResult quantize_once(const Config& config, const TuneOptions& options, const Observer& observer) {
  const std::unique_ptr<Crew> crew = make_crew(options.team);
  Bench bench = make_bench(config, options.model, options.own, observer);
  bench.crew = crew.get();
  if (crew && !is_dynamic(config))
    compare_with_helpers(*crew, bench.model, {.calibration = &bench.calibration}, observer);
  const StatisticsByPlan all = statistics_for(
      bench, config, observer, [](const std::string&) { return std::nullopt; },
      [](const std::string&, const std::string&) {});
  const Statistics& statistics = all.of(first_plan(bench.space));
  const CarryOut carry_out = carried_out(bench, config, all);
  const std::vector<Tensor> sample = first_sample(bench.model, bench.calibration);
  apply_forms(bench,
              measure_forms(bench, carry_out(first_plan(bench.space)), statistics, sample, config, {},
                            {options.form_memory, bench.cpu}, observer),
              config, observer);
  const Plan plan = carry_out(first_plan(bench.space));
  const Edits edits = resolve(bench.model, plan, statistics);
  const fs::path output = options.output.empty() ? workspace_path(config, bench.model) / "quantized" : options.output;
  remove_leftovers(output);
  QuantizeResult result;
  result.shapes = static_shapes(bench.model, sample, bench.calibration.dataset().input_naming());
  result.model_bytes = save_deployment(
      output, edits, {bench.name, bench.model, plan, bench.cpu, options.command, result.shapes}, observer);
  if (options.on_saved) options.on_saved(bench.model, plan, edits, output);
  result.plan = plan;
  result.model = output / "model.xml";
  result.onnx = saved_onnx(output);
  result.source_bytes = bench.model.size_bytes;
  result.int8_ops = plan.int8_count();
  result.fp32_ops = plan.ops.size() - plan.int8_count();
  if (is_dynamic(config)) {
    result.activations = describe_activations(plan, bench.cpu);
    return result;
  }
  result.calibration_samples = std::min(config.quantization.sampling_sizes.front(), bench.calibration.size());
  return result;
}

}  // namespace lpot
