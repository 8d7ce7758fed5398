#include "lpot/tune/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/config/describe.h"
#include "lpot/core/json.h"
#include "lpot/tune/plan_index.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

using Json = nlohmann::json;

constexpr const char* kConfidence = "evaluation.accuracy.confidence";

std::string names_of(const std::vector<OwnMetric>& metrics) {
  std::vector<std::string> names;
  for (const OwnMetric& own : metrics) names.push_back(own.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool matters_for(Kept::Matters matters, const std::string& key) {
  switch (matters) {
    case Kept::Matters::Calibration:
      return key.starts_with("quantization.calibration") || key == "calibration data";
    case Kept::Matters::Evaluation:
      return (key.starts_with("evaluation.accuracy.") && key != kConfidence) || key == "evaluation data" ||
             key == "own metrics" || key == "cpu_class";
    case Kept::Matters::Forms:
      return key.starts_with("quantization.") || key == "calibration data" || key == "half_range" ||
             key == "cpu_class" || key == "evaluation data";
    case Kept::Matters::AllButTuning:
      return !key.starts_with("tuning.") && key != kConfidence;
  }
  return false;
}

// The settings of a study that matter.
Json part_of(const StudyIdentity& identity, Kept::Matters matters) {
  Json part = Json::object();
  const Json settings = parse_json_or_discard(identity.settings);
  if (!settings.is_object()) return part;
  for (const auto& [key, value] : settings.items())
    if (matters_for(matters, key)) part[key] = value;
  return part;
}

}  // namespace

StudyIdentity identity_of(const Bench& bench, const Config& config, const OwnParts& own, const Evaluator& evaluator) {
  Json settings = Json::object();
  for (const std::string& line : describe(config)) {
    const auto equals = line.find(" = ");
    const std::string key = line.substr(0, equals);
    if (key.starts_with("tuning.exit_policy.max_trials") || key.starts_with("tuning.exit_policy.timeout") ||
        key.starts_with("tuning.workspace"))
      continue;
    // A key of several components has a line for each.
    const std::string value = line.substr(equals + 3);
    settings[key] = settings.contains(key) ? settings[key].get<std::string>() + ", " + value : value;
  }
  if (own.strategy.strategy) settings["tuning.strategy"] = "the caller's own, " + own.strategy.name;
  if (!own.metrics.empty()) settings["own metrics"] = names_of(own.metrics);
  settings["half_range"] = use_half_range(config, bench.cpu);
  settings["cpu_class"] = bench.cpu.cpu_class();
  settings["calibration data"] = bench.calibration.identity();
  settings["evaluation data"] = evaluator.identity();
  return {bench.name, bench.model.fingerprint,
          fmt::format("calibration {}; evaluation {}", bench.calibration.identity(), evaluator.identity()),
          settings.dump()};
}

Kept::Kept(Store& store, StudyId id, const StudyIdentity& identity, bool may_share)
    : store_(store), id_(id), identity_(identity), may_share_(may_share) {}

std::vector<StudyRecord> Kept::like_this(Matters matters) const {
  const Json wanted = part_of(identity_, matters);
  std::vector<StudyRecord> alike;
  for (StudyRecord& record : store_.studies())
    if (record.id != id_ && record.identity.model_fingerprint == identity_.model_fingerprint &&
        part_of(record.identity, matters) == wanted)
      alike.push_back(std::move(record));
  return alike;
}

std::optional<std::string> Kept::get(const std::string& key, Matters matters) const {
  if (auto own = store_.get(id_, key)) return own;
  if (!may_share_) return std::nullopt;
  for (const StudyRecord& record : like_this(matters))
    if (auto kept = store_.get(record.id, key)) return kept;
  return std::nullopt;
}

std::optional<Measured> Kept::score(const Plan& plan) const {
  if (!may_share_) return std::nullopt;
  if (!scores_) {
    scores_.emplace();
    for (const StudyRecord& record : like_this(Matters::AllButTuning))
      for (const Trial& trial : store_.trials(record.id))
        if (trial.result && trial.result->complete) scores_->try_emplace(key_of(trial.plan).sum, *trial.result);
  }
  const auto found = scores_->find(key_of(plan).sum);
  return found == scores_->end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lpot
