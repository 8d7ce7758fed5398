// The identity of a study, and the results of earlier studies of the same model that are valid for it too.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/store/study_record.h"
#include "lpot/tune/quantization_task.h"
#include "lpot/tune/user_components.h"

namespace lpot {

// The budget is not part of it: a study may be resumed with a larger one.
StudyIdentity identity_of(const QuantizationTask&, const Config&, const UserComponents&, const Evaluator&);

// Results of the study, and of other studies with the same model and relevant settings, so that a study with another
// goal does not calibrate or evaluate again. A result of another study is copied into this one.
class StudyCache {
 public:
  // `may_share`: results of other studies are valid; false for programs and functions of the user, which may change.
  StudyCache(Store&, StudyId, StudyIdentity, bool may_share);

  const StudyWriter& record() const { return record_; }

  std::optional<Measurement> baseline();
  std::optional<std::string> baseline_notes() const;
  std::optional<std::string> statistics(const StatisticsKey&);
  std::optional<PrecisionChoice> precision();
  std::optional<KernelVariantChoice> kernel_variants();
  std::optional<Measurement> score(const Plan&);  // the exact result of that plan in another study

  // Measurements are stored before they are used.
  void store_baseline(const Measurement&, const std::string& notes);
  void store_statistics(const StatisticsKey&, const std::string& bytes);
  void store_precision(const PrecisionChoice&);
  void store_kernel_variants(const KernelVariantChoice&);

 private:
  // The settings that a value depends on, besides the model.
  enum class DependsOn { Calibration, Evaluation, KernelVariants, AllButTuning };

  static bool matters(DependsOn, const std::string& setting);
  static nlohmann::json settings_for(DependsOn, const StudyIdentity&);
  std::vector<StudyId> similar_studies(DependsOn) const;
  template <typename Get>
  auto find(DependsOn, const Get&) const;

  Store& store_;
  StudyId study_;
  StudyWriter record_;
  StudyIdentity identity_;
  bool may_share_;
  // Of other studies, read once: they do not change while the workspace is locked.
  std::optional<std::unordered_map<std::uint64_t, Measurement>> scores_;
};

}  // namespace lpot
