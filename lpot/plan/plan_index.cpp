#include "lpot/plan/plan_index.h"

#include <functional>

#include "lpot/core/random.h"

namespace lpot {
namespace {

std::uint64_t combine(std::uint64_t one, std::uint64_t two) { return mix(one ^ mix(two)); }

std::uint64_t scheme_key(const TensorScheme& scheme) {
  return (static_cast<std::uint64_t>(scheme.algorithm) << 24) | (static_cast<std::uint64_t>(scheme.granularity) << 16) |
         (static_cast<std::uint64_t>(scheme.symmetry) << 8) | static_cast<std::uint64_t>(scheme.bits);
}

// Uses exactly the members that OpPlan::operator== compares.
std::uint64_t op_key(std::string_view name, const OpPlan& op) {
  std::uint64_t key = combine(std::hash<std::string_view>()(name), static_cast<std::uint64_t>(op.precision));
  if (!op.is_int8()) return key;
  key = combine(key, op.weights_only ? 1 : 2 + (scheme_key(op.activation) << 2));
  return combine(combine(key, scheme_key(op.weight)), static_cast<std::uint64_t>(op.variant));
}

}  // namespace

PlanKey PlanKey::with(std::string_view op, const OpPlan& before, const OpPlan& after) const {
  return {sum - op_key(op, before) + op_key(op, after)};
}

PlanKey PlanKey::with(std::string_view op, const OpPlan& plan) const { return {sum + op_key(op, plan)}; }

PlanKey key_of(const Plan& plan) {
  // Equal plans without ops have equal JSON, so the JSON can be hashed.
  const Plan without_ops{{}, plan.recipes, plan.sampling_size, plan.inference_precision};
  PlanKey key{mix(std::hash<std::string>()(to_json(without_ops)))};
  for (const auto& [name, op] : plan.ops) key = key.with(name, op);
  return key;
}

PlanKey probe_key(PlanKey plan, int level) {
  return level == 0 ? plan : PlanKey{plan.sum + mix(static_cast<std::uint64_t>(level))};
}

void PlanIndex::add(PlanKey key) { numbers_.try_emplace(key.sum, count_++); }

std::optional<std::size_t> PlanIndex::find(PlanKey key) const {
  const auto found = numbers_.find(key.sum);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lpot
