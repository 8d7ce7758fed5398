#include "lpot/tune/candidate_builder.h"

#include "lpot/core/large_models.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"

namespace lpot {
namespace {

Plan in_plain_variants(Plan plan) {
  for (auto& [name, op] : plan.ops) op.variant = KernelVariant::Plain;
  return plan;
}

}  // namespace

CandidateBuilder::CandidateBuilder(const Model& source, const StatisticsByPlan& statistics, PlanFinalizer* finalizer)
    : source_(source), statistics_(statistics), finalizer_(finalizer), embeddings_(source) {}

Edits CandidateBuilder::resolve_final(const Plan& final_plan) const {
  static const Statistics kNone;
  // Without int8 nothing is quantized, and there may be no statistics for its recipes.
  const Statistics& statistics = final_plan.int8_count() == 0 ? kNone : statistics_.of(final_plan);
  return resolve(source_, final_plan, statistics, &embeddings_);
}

const Edits& CandidateBuilder::edits(const Plan& proposed) {
  const Plan plan = finalize(proposed);
  const Plan plain = in_plain_variants(plan);
  if (!edits_ || !(plain == plan_)) {
    edits_ = resolve_final(plan);
    plan_ = plain;
  }
  for (OpEdit& op : edits_->ops) op.variant = plan.ops.at(op.op).variant;
  return *edits_;
}

void CandidateBuilder::put(const Plan& proposed, Edits edits, Model model) {
  const Plan plan = finalize(proposed);
  plan_ = in_plain_variants(plan);
  edits_ = std::move(edits);
  store(plan, std::move(model));
}

Model CandidateBuilder::model(const Plan& proposed) {
  const Plan plan = finalize(proposed);
  for (const auto& [known, model] : models_)
    if (known == plan) return model;
  Model model = apply(source_, edits(proposed));
  if (source_.size_bytes < kLargeModel) store(plan, model);
  return model;
}

void CandidateBuilder::store(const Plan& final_plan, Model model) {
  if (models_.size() == 2) models_.pop_front();
  models_.emplace_back(final_plan, std::move(model));
}

}  // namespace lpot
