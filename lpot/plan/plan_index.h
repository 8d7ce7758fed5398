// Finds the number of a plan by a hash. A search takes the same time among ten plans and among ten thousand.
//
//   PlanIndex index;
//   index.add(key_of(trial.plan));                               // number 0
//   PlanKey one_op_changed = key_of(plan).with("conv1", plan.ops.at("conv1"), OpPlan{});
//   index.find(one_op_changed);                                  // its number, or nullopt
//   key_of(Plan{.recipes = plan.recipes}).with("conv1", OpPlan{});  // the key without building the plan
//
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "lpot/plan/plan.h"

namespace lpot {

// A 64-bit hash of a plan. Different plans may have the same key, but in studies of ten thousand plans this happens
// about once in 10^11 studies. The hash is a sum over the ops. So if one op changes, the new key can be computed
// without the other ops.
struct PlanKey {
  std::uint64_t sum = 0;

  PlanKey with(std::string_view op, const OpPlan& before, const OpPlan& after) const;
  PlanKey with(std::string_view op, const OpPlan&) const;  // with an additional op
  // With a change that was computed earlier: PlanKey{}.with("conv1", before, after).
  PlanKey with(PlanKey change) const { return {sum + change.sum}; }
  bool operator==(const PlanKey&) const = default;
};

PlanKey key_of(const Plan&);
// The key of a probe: probes of one plan with different levels are different.
PlanKey probe_key(PlanKey plan, int level);

class PlanIndex {
 public:
  void add(PlanKey);  // the key gets the next number, from 0
  std::size_t size() const { return count_; }
  std::optional<std::size_t> find(PlanKey) const;  // the first number with that key

 private:
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::size_t count_ = 0;
};

}  // namespace lpot
