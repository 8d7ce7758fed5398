// Builds the int8 models of plans and caches the last ones. A plan is often requested again: when its model is saved,
// and with other kernel variants, which do not change the values of the edits.
//
//   CandidateBuilder builder(task.model, statistics_by_plan, &finalizer);
//   Model int8 = builder.model(plan);
//   const Edits& edits = builder.edits(plan);
//
#pragma once
#include <deque>
#include <optional>
#include <utility>

#include "lpot/plan/plan.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/recipes/int8_embeddings.h"
#include "lpot/tune/plan_finalizer.h"
#include "lpot/tune/plan_statistics.h"

namespace lpot {

class CandidateBuilder {
 public:
  // The arguments must outlive this object. `finalizer`: nullptr if plans are already final.
  CandidateBuilder(const Model&, const StatisticsByPlan&, PlanFinalizer* finalizer);

  Plan finalize(const Plan& proposed) { return finalizer_ ? finalizer_->finalize(proposed) : proposed; }

  // Does not use the cache, so any thread may call it.
  Edits resolve_final(const Plan& final_plan) const;

  // The reference is valid until the edits of another plan are requested.
  const Edits& edits(const Plan& proposed);

  // Returns the cached graph for one of the last two plans, so that its compilations are reused. Large models are not
  // cached.
  Model model(const Plan& proposed);

  // Adds a model that was built elsewhere to the cache.
  void put(const Plan& proposed, Edits, Model);

 private:
  void store(const Plan& final_plan, Edits);
  void store(const Plan& final_plan, Model);

  const Model& source_;
  const StatisticsByPlan& statistics_;
  PlanFinalizer* finalizer_;
  EmbeddingEdits embeddings_;
  std::deque<std::pair<Plan, Edits>> edits_;  // by final plan with plain kernel variants
  std::deque<std::pair<Plan, Model>> models_;
};

}  // namespace lpot
