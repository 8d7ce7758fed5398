// What plans come down to and the models written from that, with the last ones kept.
#pragma once
#include <deque>
#include <optional>
#include <utility>

#include "lpot/core/memory.h"
#include "lpot/quantize/edits.h"
#include "lpot/quantize/plan.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/recipes/int8_tables.h"
#include "lpot/tune/bench.h"

namespace lpot {

// That of the last plan is often asked for again: to be saved, or in other forms, which change no numbers. All that it
// is given must outlive it.
class EditsOfLast {
 public:
  EditsOfLast(const Model& model, const StatisticsByPlan& statistics, CarryOut carry_out)
      : model_(model), statistics_(statistics), carry_out_(std::move(carry_out)), tables_(model) {}

  // Nothing of the last plan is used or kept: any thread may ask.
  Edits resolved(const Plan& carried_out) const {
    return resolve(model_, carried_out, statistics_.of(carried_out), &tables_);
  }

  const Edits& of(const Plan& proposed) {
    const Plan plan = carry_out_(proposed);
    const Plan plain = without_forms(plan);
    if (!edits_ || !(plain == plan_)) {
      edits_ = resolved(plan);
      plan_ = plain;
    }
    for (OpEdit& op : edits_->ops) op.form = plan.ops.at(op.op).form;
    return *edits_;
  }

  // What was made of a plan elsewhere.
  void put(const Plan& proposed, Edits edits, Model model) {
    const Plan plan = carry_out_(proposed);
    plan_ = without_forms(plan);
    edits_ = std::move(edits);
    keep(plan, std::move(model));
  }

  // The same graph again for one of the last two plans, unless it is large: what was compiled of it is found again.
  Model model(const Plan& proposed) {
    const Plan plan = carry_out_(proposed);
    for (const auto& [known, model] : models_)
      if (known == plan) return model;
    Model model = apply(model_, of(proposed));
    if (model_.size_bytes < kLargeModel) keep(plan, model);
    return model;
  }

 private:
  void keep(const Plan& plan, Model model) {
    if (models_.size() == 2) models_.pop_front();
    models_.emplace_back(plan, std::move(model));
  }

  static Plan without_forms(Plan plan) {
    for (auto& [name, op] : plan.ops) op.form = Form::Plain;
    return plan;
  }

  const Model& model_;
  const StatisticsByPlan& statistics_;
  CarryOut carry_out_;
  TableEdits tables_;
  Plan plan_;
  std::optional<Edits> edits_;
  std::deque<std::pair<Plan, Model>> models_;
};

}  // namespace lpot
