#include "lpot/quantize/recipes/residual_sums.h"

#include <optional>
#include <set>

#include "lpot/quantize/graph/integer_reads.h"
#include "lpot/quantize/graph/placement.h"
#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

Edits add_sums(const RecipeContext& context, Edits edits) {
  const std::vector<InputEdit> sums = sum_edits(context.model, edits.ops, context.statistics);
  edits.inputs.insert(edits.inputs.end(), sums.begin(), sums.end());
  return edits;
}

// The levels of the bypass: those of the int8 ops that read it, or its whole range if only the sum reads it.
std::optional<Range> bypass_levels(const ResidualSum& sum, const std::vector<OpEdit>& ops,
                                   const std::set<std::string>& int8, const Statistics& statistics) {
  for (const OpEdit& op : ops)
    if (op.activation == sum.bypass && op.written_divisors().empty()) return op.levels;
  if (!int8.contains(sum.bypass_producer)) return std::nullopt;
  return levels_of(sum.bypass, statistics);
}

}  // namespace

std::vector<InputEdit> sum_edits(const Model& model, const std::vector<OpEdit>& ops, const Statistics& statistics) {
  std::set<std::string> int8;
  for (const OpEdit& op : ops)
    if (!op.activation.empty()) int8.insert(op.op);
  std::vector<InputEdit> edits;
  for (const ResidualSum& sum : residual_sums(model)) {
    if (!int8.contains(sum.convolution)) continue;
    const auto levels = levels_of(sum.from_convolution, statistics);
    const auto bypass = bypass_levels(sum, ops, int8, statistics);
    if (!levels || !bypass) continue;
    edits.push_back({sum.op, "Add", sum.side, *levels});
    edits.push_back({sum.op, "Add", 1 - sum.side, *bypass});
    int8.insert(sum.op);
  }
  return edits;
}

Recipe residual_sums_recipe() {
  return {
      .declaration = {.name = "residual_sums",
                      .key = {.parameter = {.name = "residual_sums",
                                            .kind = ValueKind::Flag,
                                            .summary = "add the two inputs of a residual sum as integers; default: on"},
                              .position = 110},
                      .plan_default = false,
                      .config_default = true,
                      .statistics = RecipeStatistics::Ranges,
                      .label = "residual_sums"},
      .finish = add_sums};
}

}  // namespace lpot
