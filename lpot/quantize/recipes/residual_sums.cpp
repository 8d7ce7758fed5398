#include "lpot/quantize/recipes/residual_sums.h"

#include <set>

#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/placement.h"
#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

Edits add_sums(const RecipeContext& context, Edits edits) {
  edits.sums = sum_edits(context.model, edits.ops, context.statistics);
  return edits;
}

}  // namespace

std::vector<SumEdit> sum_edits(const Model& model, const std::vector<OpEdit>& ops, const Statistics& statistics) {
  std::set<std::string> int8, read;  // int8 ops, and the tensors they read without division
  for (const OpEdit& op : ops) {
    if (!op.activation.empty()) int8.insert(op.op);
    if (op.written_divisors().empty()) read.insert(op.activation);
  }
  std::vector<SumEdit> edits;
  for (const ResidualSum& sum : residual_sums(model)) {
    const auto observed = statistics.find(sum.from_convolution);
    if (!int8.contains(sum.convolution) || !read.contains(sum.bypass) || observed == statistics.end()) continue;
    const Range range = find_range(observed->second, Algorithm::MinMax, {.symmetry = Symmetry::Asymmetric});
    edits.push_back({sum.op, sum.side, activation_levels(range, Symmetry::Asymmetric)});
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
