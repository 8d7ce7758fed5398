#include "lpot/tune/candidate_builder.h"

#include <algorithm>
#include <iterator>

#include "lpot/core/large_models.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"

namespace lpot {
namespace {

constexpr std::size_t kCached = 2;  // edits, and models

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
  auto known = std::find_if(edits_.begin(), edits_.end(), [&](const auto& entry) { return entry.first == plain; });
  if (known == edits_.end()) {
    store(plan, resolve_final(plan));
    known = std::prev(edits_.end());
  }
  for (OpEdit& op : known->second.ops) op.variant = plan.ops.at(op.op).variant;
  return known->second;
}

void CandidateBuilder::put(const Plan& proposed, Edits edits, Model model) {
  const Plan plan = finalize(proposed);
  store(plan, std::move(edits));
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

void CandidateBuilder::store(const Plan& final_plan, Edits edits) {
  const std::size_t kept = source_.size_bytes < kLargeModel ? kCached : 1;
  while (edits_.size() >= kept) edits_.pop_front();
  edits_.emplace_back(in_plain_variants(final_plan), std::move(edits));
}

void CandidateBuilder::store(const Plan& final_plan, Model model) {
  if (models_.size() == kCached) models_.pop_front();
  models_.emplace_back(final_plan, std::move(model));
}

}  // namespace lpot
