// Builds the int8 models of plans, and keeps the last ones: a plan is often asked for again, to be saved or in another
// kernel variant, which changes no numbers.
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
  // All must outlive it. `finalizer`: nullptr where plans are final already.
  CandidateBuilder(const Model&, const StatisticsByPlan&, PlanFinalizer* finalizer);

  Plan finalize(const Plan& proposed) { return finalizer_ ? finalizer_->finalize(proposed) : proposed; }

  // Uses and keeps nothing of the last plan: any thread may call it.
  Edits resolve_final(const Plan& final_plan) const;

  const Edits& edits(const Plan& proposed);

  // The same graph again for one of the last two plans, unless the model is large: its compilations are found again.
  Model model(const Plan& proposed);

  // What was built from a plan elsewhere.
  void put(const Plan& proposed, Edits, Model);

 private:
  void keep(const Plan& final_plan, Model);

  const Model& source_;
  const StatisticsByPlan& statistics_;
  PlanFinalizer* finalizer_;
  EmbeddingEdits embeddings_;
  Plan plan_;  // of edits_, in plain kernel variants
  std::optional<Edits> edits_;
  std::deque<std::pair<Plan, Model>> models_;
};

}  // namespace lpot
