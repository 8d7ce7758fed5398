#include "lpot/tune/study_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/config/describe.h"
#include "lpot/core/json.h"
#include "lpot/plan/plan_index.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr const char* kConfidence = "evaluation.accuracy.confidence";

std::string names_of(const std::vector<UserMetric>& metrics) {
  std::vector<std::string> names;
  for (const UserMetric& user : metrics) names.push_back(user.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

StudyIdentity identity_of(const QuantizationTask& task, const Config& config, const UserComponents& user,
                          const Evaluator& evaluator) {
  Json settings = Json::object();
  for (const std::string& line : describe(config, component_tables().recipes)) {
    const auto equals = line.find(" = ");
    const std::string key = line.substr(0, equals);
    if (key.starts_with("tuning.exit_policy.max_trials") || key.starts_with("tuning.exit_policy.timeout") ||
        key.starts_with("tuning.workspace"))
      continue;
    // A key of several components has a line for each.
    const std::string value = line.substr(equals + 3);
    settings[key] = settings.contains(key) ? settings[key].get<std::string>() + ", " + value : value;
  }
  if (user.strategy.strategy) settings["tuning.strategy"] = "the caller's own, " + user.strategy.name;
  if (!user.metrics.empty()) settings["own metrics"] = names_of(user.metrics);
  settings["half_range"] = use_half_range(config, task.cpu);
  settings["cpu_class"] = task.cpu.cpu_class();
  // Studies in f32 have the settings of version 0.1.
  if (task.choices.inference_precision != InferencePrecision::F32)
    settings["inference_precision"] = to_string(task.choices.inference_precision);
  settings["calibration data"] = task.calibration.identity();
  settings["evaluation data"] = evaluator.identity();
  return {task.name, task.model.fingerprint,
          fmt::format("calibration {}; evaluation {}", task.calibration.identity(), evaluator.identity()),
          dump_json(settings)};
}

StudyCache::StudyCache(Store& store, StudyId study, StudyIdentity identity, bool may_share)
    : store_(store), study_(study), record_(store, study), identity_(std::move(identity)), may_share_(may_share) {}

bool StudyCache::matters(DependsOn what, const std::string& setting) {
  switch (what) {
    case DependsOn::Calibration:
      return setting.starts_with("quantization.calibration") || setting == "calibration data";
    case DependsOn::Evaluation:
      return (setting.starts_with("evaluation.accuracy.") && setting != kConfidence) || setting == "evaluation data" ||
             setting == "own metrics" || setting == "cpu_class";
    case DependsOn::KernelVariants:
      return setting.starts_with("quantization.") || setting == "calibration data" || setting == "half_range" ||
             setting == "inference_precision" || setting == "cpu_class" || setting == "evaluation data";
    case DependsOn::AllButTuning:
      return !setting.starts_with("tuning.") && setting != kConfidence;
  }
  return false;
}

Json StudyCache::settings_for(DependsOn what, const StudyIdentity& identity) {
  Json part = Json::object();
  const Json settings = parse_json_or_discard(identity.settings);
  if (!settings.is_object()) return part;
  for (const auto& [key, value] : settings.items())
    if (matters(what, key)) part[key] = value;
  return part;
}

std::vector<StudyId> StudyCache::similar_studies(DependsOn what) const {
  std::vector<StudyId> similar;
  if (!may_share_) return similar;
  const Json wanted = settings_for(what, identity_);
  for (const StudyEntry& entry : store_.studies())
    if (entry.id != study_ && entry.identity.model_fingerprint == identity_.model_fingerprint &&
        settings_for(what, entry.identity) == wanted)
      similar.push_back(entry.id);
  return similar;
}

// What `get` finds in this study's record, else in one of a similar study.
template <typename Get>
auto StudyCache::find(DependsOn what, const Get& get) const {
  auto found = get(record_);
  if (found) return found;
  for (const StudyId study : similar_studies(what)) {
    found = get(StudyRecord(store_, study));
    if (found) break;
  }
  return found;
}

std::optional<Measurement> StudyCache::baseline() {
  const auto found = find(DependsOn::Evaluation, [](const StudyRecord& record) { return record.baseline(); });
  if (found) record_.set_baseline(*found);
  return found;
}

std::optional<std::string> StudyCache::baseline_notes() const {
  return find(DependsOn::Evaluation, [](const StudyRecord& record) { return record.baseline_notes(); });
}

std::optional<std::string> StudyCache::statistics(const StatisticsKey& key) {
  const auto found = find(DependsOn::Calibration, [&](const StudyRecord& record) { return record.statistics(key); });
  if (found) record_.set_statistics(key, *found);
  return found;
}

std::optional<PrecisionChoice> StudyCache::precision() {
  const auto found = find(DependsOn::KernelVariants, [](const StudyRecord& record) { return record.precision(); });
  if (found) record_.set_precision(*found);
  return found;
}

std::optional<KernelVariantChoice> StudyCache::kernel_variants() {
  const auto found =
      find(DependsOn::KernelVariants, [](const StudyRecord& record) { return record.kernel_variants(); });
  if (found) record_.set_kernel_variants(*found);
  return found;
}

std::optional<Measurement> StudyCache::score(const Plan& plan) {
  if (!scores_) {
    scores_.emplace();
    for (const StudyId study : similar_studies(DependsOn::AllButTuning))
      for (const Trial& trial : StudyRecord(store_, study).trials())
        if (trial.result && trial.result->complete) scores_->try_emplace(key_of(trial.plan).sum, *trial.result);
  }
  const auto found = scores_->find(key_of(plan).sum);
  return found == scores_->end() ? std::nullopt : std::optional(found->second);
}

void StudyCache::store_baseline(const Measurement& measured, const std::string& notes) {
  record_.set_baseline_notes(notes);
  record_.set_baseline(measured);
}

void StudyCache::store_statistics(const StatisticsKey& key, const std::string& bytes) {
  record_.set_statistics(key, bytes);
}

void StudyCache::store_precision(const PrecisionChoice& choice) { record_.set_precision(choice); }

void StudyCache::store_kernel_variants(const KernelVariantChoice& choice) { record_.set_kernel_variants(choice); }

}  // namespace lpot
