// The workspace, the store and the progress file of one study while it runs.
#pragma once
#include <filesystem>

#include "lpot/core/observer.h"
#include "lpot/tune/status.h"
#include "lpot/tune/study_cache.h"
#include "lpot/tune/tune.h"
#include "lpot/tune/workspace.h"

namespace lpot {

// The folder for the best model. Throws ConfigError if the model would replace a file of the source model there.
std::filesystem::path best_path(const TuneOptions&, const Config&, const Model&);

class StudySession {
 public:
  // Opens the workspace and the study, and creates the output folder, before any work is done that could not be saved.
  // Throws StoreError.
  StudySession(const QuantizationTask&, const Config&, const TuneOptions&, const Evaluator&);

  const std::filesystem::path& workspace() const { return workspace_.path(); }
  const std::filesystem::path& output() const { return output_; }
  StudyId id() const { return study_; }
  bool had_nothing_to_resume() const { return had_nothing_to_resume_; }  // a new study was started in spite of `resume`
  Store& store() { return workspace_.store(); }
  StudyWriter& record() { return record_; }
  StudyCache& cache() { return cache_; }

  // The caller's observer, whose progress also goes to the progress file. The session must outlive it.
  Observer observe(const Observer& caller) { return status_.watch(caller); }

 private:
  StudySession(const QuantizationTask&, const Config&, const TuneOptions&, const Evaluator&, StudyIdentity);

  Workspace workspace_;
  std::filesystem::path output_;
  bool had_nothing_to_resume_;
  StudyId study_;
  StudyWriter record_;
  StudyCache cache_;
  StatusFile status_;
};

}  // namespace lpot
