#include "lpot/tune/auto_config/agreement_metric.h"

#include <fmt/format.h>

#include "lpot/config/load.h"
#include "lpot/tune/auto_config/box_trial.h"
#include "lpot/tune/auto_config/config_text.h"
#include "lpot/tune/auto_config/output_role.h"
#include "lpot/tune/auto_config/sample_outputs.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr std::size_t kAgreementSamples = 32;  // on which the fp32 model runs

}  // namespace

void use_agreement_metric(Config& config, const Model& model, const DataLoader& loader, const Observer& observer) {
  const SampleOutputs outputs = SampleRunner(model, observer).run(loader, kAgreementSamples);
  const auto [role, warning] = check_boxes(find_output_role(output_evidence(model), outputs), outputs);
  if (!warning.empty()) observer.log(LogLevel::Warning, warning);
  Criterion& goal = config.tuning.criterion;
  const MetricText metric = choose_metric(role, {false, goal.tolerance, outputs.variance});
  config.accuracy.metrics = {parse_component(metric.metric, component_tables().metrics)};
  if (!metric.postprocess.empty())
    config.accuracy.postprocess.push_back(parse_component(metric.postprocess, component_tables().postprocesses));
  if (goal.relative) goal = metric.criterion;
  observer.log(LogLevel::Info, fmt::format("the outputs are {}, so the metric is {}: {}", describe(role.kind),
                                           metric.metric, metric.meaning));
}

}  // namespace lpot
