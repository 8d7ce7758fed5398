#include "lpot/report/ranked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lpot/core/json.h"
#include "lpot/plan/plan_description.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/report/table.h"

namespace lpot {
namespace {

constexpr std::size_t kNamedCandidates = 3;  // in the text; the report has all of them

std::vector<std::string> recipes_of(const Plan& plan) { return describe_recipes(plan.recipes, recipe_declarations()); }

OrderedJson number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? OrderedJson(*value) : OrderedJson(nullptr);
}

// What distinguishes one candidate from the others.
class CandidateLabels {
 public:
  explicit CandidateLabels(const std::vector<RankedCandidate>& candidates) {
    if (candidates.empty()) return;
    const Plan& first = candidates.front().plan;  // a plan in int8, if there is one
    common_recipes_ = recipes_of(first);
    for (const RankedCandidate& candidate : candidates) {
      if (candidate.plan.int8_count() == 0) continue;
      const std::vector<std::string> recipes = recipes_of(candidate.plan);
      std::erase_if(common_recipes_, [&](const std::string& recipe) { return !contains(recipes, recipe); });
      has_one_precision_ = has_one_precision_ && candidate.plan.inference_precision == first.inference_precision;
    }
  }

  // "kl + fast_bias_correction", "kl, other ops in f32".
  std::string label(const Plan& plan) const {
    std::string text = short_label(plan);
    if (plan.int8_count() == 0) return text;
    for (const std::string& recipe : recipes_of(plan))
      if (!contains(common_recipes_, recipe)) text += " + " + recipe;
    if (!has_one_precision_) text += fmt::format(", other ops in {}", to_string(plan.inference_precision));
    return text;
  }

 private:
  static bool contains(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }

  std::vector<std::string> common_recipes_;
  bool has_one_precision_ = true;
};

std::string estimate_text(const RankedCandidate& candidate) {
  if (candidate.estimated_accuracy)
    return fmt::format("{:.4f} +- {:.2g}", *candidate.estimated_accuracy, candidate.error);
  return candidate.distance ? fmt::format("distance {:.3g}", *candidate.distance) : "failed";
}

std::string trial_text(const RankedCandidate& candidate, std::span<const Trial> trials) {
  const auto trial = std::find_if(trials.begin(), trials.end(), [&](const Trial& each) {
    return candidate.trial && each.number == *candidate.trial;
  });
  if (trial == trials.end()) return "not tried";
  if (!trial->result) return fmt::format("trial {} failed", trial->number);
  return fmt::format("trial {}: {:.4f}{}", trial->number, trial->result->accuracy,
                     trial->result->complete ? "" : " (estimate)");
}

}  // namespace

OrderedJson ranked_json(const std::vector<RankedCandidate>& candidates) {
  OrderedJson json = OrderedJson::array();
  for (const RankedCandidate& candidate : candidates)
    json.push_back({{"ranges", describe_ranges(candidate.plan)},
                    {"recipes", recipes_of(candidate.plan)},
                    {"precision", std::string(to_string(candidate.plan.inference_precision))},
                    {"not_int8", candidate.plan.fallback().size()},
                    {"estimated_accuracy", number_or_null(candidate.estimated_accuracy)},
                    {"error", candidate.estimated_accuracy ? number_or_null(candidate.error) : OrderedJson(nullptr)},
                    {"samples", candidate.samples},
                    {"distance", number_or_null(candidate.distance)},
                    {"trial", candidate.trial ? OrderedJson(*candidate.trial) : OrderedJson(nullptr)}});
  return json;
}

std::vector<std::string> ranked_lines(const std::vector<RankedCandidate>& candidates, std::span<const Trial> trials,
                                      const Trial* best) {
  if (candidates.empty()) return {};
  const CandidateLabels labels(candidates);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (i < kNamedCandidates || (best && candidates[i].trial == best->number))
      rows.push_back(
          {labels.label(candidates[i].plan), estimate_text(candidates[i]), trial_text(candidates[i], trials)});
  std::vector<std::string> lines{
      fmt::format("{} candidate{} by {}{}:", candidates.size(), candidates.size() == 1 ? "" : "s",
                  candidates.front().estimated_accuracy ? "estimated accuracy" : "distance of the outputs from fp32",
                  rows.size() < candidates.size() ? "; all of them are in the report" : "")};
  const auto width = [&](std::size_t column) {
    std::size_t widest = 0;
    for (const Row& row : rows) widest = std::max(widest, row[column].size());
    return widest;
  };
  for (const Row& row : rows)
    lines.push_back(fmt::format("{:<{}}  {:<{}}  {}", row[0], width(0), row[1], width(1), row[2]));
  return lines;
}

std::string probes_text(std::span<const Probe> probes) {
  const auto estimates = static_cast<std::size_t>(
      std::count_if(probes.begin(), probes.end(), [](const Probe& probe) { return probe.loss.has_value(); }));
  const std::size_t distances = probes.size() - estimates;
  const std::string estimated = "estimated the accuracy", compared = "compared the outputs with fp32";
  std::string text = std::to_string(probes.size());
  if (estimates > 0 && distances > 0)
    text += fmt::format(": {} {}, {} {}; all", estimates, estimated, distances, compared);
  else
    text += fmt::format("; {} {}", probes.size() == 1 ? "it" : "they", estimates > 0 ? estimated : compared);
  return text + " on a few samples";
}

std::string ranges_and_recipes(const Plan& plan) {
  const std::vector<std::string> recipes = recipes_of(plan);
  if (recipes.empty()) return describe_ranges(plan);
  return fmt::format("{}; recipes: {}", describe_ranges(plan), fmt::join(recipes, ", "));
}

}  // namespace lpot
