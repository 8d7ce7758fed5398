#include <algorithm>

#include "lpot/tune/candidate_measurer.h"
#include "lpot/tune/data_warnings.h"
#include "lpot/tune/quantization_task.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/study_session.h"
#include "lpot/tune/tune.h"
#include "lpot/tune/workspace.h"

namespace lpot {

DryRun dry_run(const Config& config, const TuneOptions& options, const Observer& observer) {
  const QuantizationTask task = prepare_task(config, options.model, options.user, observer);
  best_path(options, config, task.model);  // throws if the saved model would replace a file of the source model
  const bool has_data = has_evaluation_data(config, options.user);
  const DataLoader evaluation = has_data ? evaluation_loader(config, options.user) : task.calibration;
  if (has_data && has_calibration_data(config, options.user) && !is_dynamic(config))
    if (const auto warning = same_data_warning(task.calibration, evaluation)) observer.log(LogLevel::Warning, *warning);
  if (has_data)
    if (const auto warning = skipped_warning(evaluation, "evaluation")) observer.log(LogLevel::Warning, *warning);
  const auto evaluator = make_evaluator(config, options.user);
  first_sample(task.model, evaluation);  // throws where the data do not fit the model
  evaluator->check_metrics(task.model, observer);
  DryRun found;
  found.quantizable_ops = task.choices.ops.size();
  found.fixed_ops =
      static_cast<std::size_t>(std::count_if(task.choices.ops.begin(), task.choices.ops.end(), [](const OpSpace& op) {
        return op.choices.size() == 1 && op.can_fall_back();
      }));
  found.precision = task.choices.inference_precision;
  found.schemes = task.choices.model_choices.size();
  found.calibration_samples = calibration_samples(config, task);
  found.calibration_size = task.calibration.size();
  found.evaluation_size = config.accuracy.command.empty() ? evaluation.size() : 0;
  found.workspace = workspace_path(config, task.model);
  return found;
}

}  // namespace lpot
