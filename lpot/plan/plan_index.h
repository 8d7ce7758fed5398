// Finds the record of a plan without comparing it with every other, so that a study of ten thousand trials asks as fast
// as one of ten.
//
//   PlanIndex index;
//   index.add(key_of(trial.plan));                               // number 0
//   PlanKey one_op_changed = key_of(plan).with("conv1", plan.ops.at("conv1"), OpPlan{});
//   index.find(one_op_changed);                                  // its number, if it has one
//   key_of(Plan{.recipes = plan.recipes}).with("conv1", OpPlan{});  // of a plan that need not be built
//
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "lpot/plan/plan.h"

namespace lpot {

// A 64-bit hash of a plan. Among ten thousand plans, two different ones have the same key once in 10^11 studies. The
// hash is a sum over the ops, so that the key after a change of one op is computed without the other ops.
struct PlanKey {
  std::uint64_t sum = 0;

  PlanKey with(std::string_view op, const OpPlan& before, const OpPlan& after) const;
  PlanKey with(std::string_view op, const OpPlan&) const;  // with an additional op
  // With a change that was computed earlier: PlanKey{}.with("conv1", before, after).
  PlanKey with(PlanKey change) const { return {sum + change.sum}; }
  bool operator==(const PlanKey&) const = default;
};

PlanKey key_of(const Plan&);

class PlanIndex {
 public:
  void add(PlanKey);  // gets the next number, from 0
  std::size_t size() const { return count_; }
  std::optional<std::size_t> find(PlanKey) const;  // the first number with that key

 private:
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::size_t count_ = 0;
};

}  // namespace lpot
