#include "lpot/tune/study_session.h"

#include "lpot/core/file.h"
#include "lpot/report/deploy.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

bool resumes(const TuneOptions& options, const Config& config) {
  return options.resume || !config.tuning.resume_from.empty();
}

fs::path open_output(fs::path output, const fs::path& workspace) {
  create_folder(output);
  remove_leftovers(output);
  remove_leftovers(workspace);
  return output;
}

}  // namespace

fs::path best_path(const TuneOptions& options, const Config& config, const Model& model) {
  return output_path(options.output, "best", config, model);
}

StudySession::StudySession(const QuantizationTask& task, const Config& config, const TuneOptions& options,
                           const Evaluator& evaluator)
    : StudySession(task, config, options, evaluator, identity_of(task, config, options.user, evaluator)) {}

StudySession::StudySession(const QuantizationTask& task, const Config& config, const TuneOptions& options,
                           const Evaluator& evaluator, StudyIdentity identity)
    : workspace_(workspace_path(config, task.model)),
      output_(open_output(best_path(options, config, task.model), workspace_.path())),
      had_nothing_to_resume_(resumes(options, config) && workspace_.store().studies().empty()),
      study_(open_study(workspace_.store(), identity, resumes(options, config), options.shared_workspace)),
      record_(workspace_.store(), study_),
      cache_(workspace_.store(), study_, std::move(identity), evaluator.is_repeatable()),
      status_(workspace_.path(), study_) {}

}  // namespace lpot
