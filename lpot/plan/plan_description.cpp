#include "lpot/plan/plan_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace lpot {
namespace {

// 7 bits are half the range of 8 bits, which a search uses for CPUs that sum in 16 bits.
std::string bits_text(const TensorScheme& scheme) {
  return scheme.bits < 7 ? fmt::format(" {} bits", scheme.bits) : "";
}

std::string activation_text(const TensorScheme& scheme) {
  return fmt::format("{}{}{}{}", to_string(scheme.algorithm),
                     scheme.granularity == Granularity::PerChannel ? " per channel" : "",
                     scheme.symmetry == Symmetry::Symmetric ? " symmetric" : "", bits_text(scheme));
}

std::string weight_text(const TensorScheme& scheme) {
  return fmt::format("{} {}{}{}", to_string(scheme.algorithm),
                     scheme.granularity == Granularity::PerChannel ? "per channel" : "per tensor",
                     scheme.symmetry == Symmetry::Asymmetric ? " asymmetric" : "", bits_text(scheme));
}

using SchemeCount = std::pair<std::string, std::size_t>;

// Counts the ops with each text. The text of most ops is the first.
class SchemeCounts {
 public:
  void add(const std::string& text) { ++counts_[text]; }
  bool empty() const { return counts_.empty(); }

  std::vector<SchemeCount> sorted() const {
    std::vector<SchemeCount> result(counts_.begin(), counts_.end());
    std::stable_sort(result.begin(), result.end(),
                     [](const SchemeCount& a, const SchemeCount& b) { return a.second > b.second; });
    return result;
  }

  // "kl", or "mse (31 ops), minmax (1 op)".
  std::string text() const {
    if (counts_.size() == 1) return counts_.begin()->first;
    std::vector<std::string> parts;
    for (const auto& [scheme, count] : sorted())
      parts.push_back(fmt::format("{} ({} op{})", scheme, count, count == 1 ? "" : "s"));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

 private:
  std::map<std::string, std::size_t> counts_;
};

struct RangeCounts {
  SchemeCounts activations, weights;
  std::set<Algorithm> activation_estimators;

  explicit RangeCounts(const Plan& plan) {
    for (const auto& [name, op] : plan.ops) {
      if (!op.is_int8()) continue;
      weights.add(weight_text(op.weight));
      if (op.weights_only) continue;
      activations.add(activation_text(op.activation));
      activation_estimators.insert(op.activation.algorithm);
    }
  }
};

std::string without_int8(const Plan& plan) {
  return fmt::format("no int8 ({})", to_string(unquantized(plan.inference_precision)));
}

}  // namespace

std::string describe_ranges(const Plan& plan) {
  const RangeCounts counts(plan);
  if (counts.weights.empty()) return without_int8(plan);
  std::string text;
  if (!counts.activations.empty()) text = fmt::format("activations: {}; ", counts.activations.text());
  text += "weights: " + counts.weights.text();
  if (plan.sampling_size > 0) text += fmt::format("; {} calibration samples", plan.sampling_size);
  return text;
}

std::string short_label(const Plan& plan) {
  const RangeCounts counts(plan);
  if (counts.weights.empty()) return without_int8(plan);
  std::vector<std::string> parts;
  if (!counts.activations.empty())
    parts.push_back(counts.activation_estimators.size() > 1 ? "mixed" : counts.activations.sorted().front().first);
  const std::string weights = counts.weights.sorted().front().first;
  if (counts.activations.empty() || weights != "minmax per channel") {
    const std::string usual = " per channel";
    parts.push_back("weights " +
                    (weights.ends_with(usual) ? weights.substr(0, weights.size() - usual.size()) : weights));
  }
  if (plan.sampling_size > 0) parts.push_back(fmt::format("{} samples", plan.sampling_size));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lpot
