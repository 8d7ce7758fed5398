#include "lpot/quantize/resolve.h"

#include <iterator>
#include <set>
#include <thread>

#include "lpot/core/parallel.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/bias.h"
#include "lpot/quantize/graph/channel_powers.h"
#include "lpot/quantize/graph/integer_reads.h"
#include "lpot/quantize/graph/onnx_runtime_reads.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantization_target.h"
#include "lpot/quantize/graph/quantizer_places.h"
#include "lpot/quantize/graph/sequences.h"
#include "lpot/quantize/graph/unified_levels.h"
#include "lpot/quantize/recipes/smooth_quant.h"
#include "lpot/quantize/recipes/smooth_quant/balanced_scores.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/precision.h"

namespace lpot {
namespace {

Range range_of(const QuantizationTarget& target) {
  const TensorScheme& scheme = target.plan->activation;
  if (!target.divisors.empty()) return divided_range(*target.input, target.divisors, scheme.symmetry);
  return find_range(*target.input, scheme.algorithm, {.symmetry = scheme.symmetry});
}

// Of the op's input channels; empty without statistics.
std::vector<double> input_powers(const QuantizationTarget& target) {
  if (!target.input) return {};
  return channel_powers(*target.input, target.weights.inputs(), target.divisors);
}

using RecipesOn = std::vector<const Recipe*>;

OpEdit edit_of(const QuantizationTarget& target, const RecipesOn& recipes) {
  QuantizedRows rows = quantize_rows(target.weights, target.plan->weight, input_powers(target));
  for (const Recipe* recipe : recipes)
    if (recipe->adjust_quantized_weights) rows = recipe->adjust_quantized_weights(target.weights, std::move(rows));
  const int axis = find_capability(target.op().type)->channel_axis;
  OpEdit edit{.op = target.op().name,
              .type = target.op().type,
              .activation = {},
              .levels = {},
              .input_divisors = target.divisors,
              .divisors_folded = target.divisors_folded,
              .input_channel_axis = axis,
              .weights = in_order_of_constant(target.weights, rows),
              .weight_axes = target.op().weight_axes,
              .bias = {},
              .needs_bias = false,
              .output_channel_axis = axis,
              .variant = target.plan->variant};
  if (target.plan->weights_only) return edit;
  edit.activation = target.op().activation;
  edit.levels = activation_levels(range_of(target), target.plan->activation.symmetry);
  for (const Recipe* recipe : recipes)
    if (recipe->adjust_op) edit = recipe->adjust_op(target, rows, std::move(edit));
  return edit;
}

Edits edits_with_options(const Recipes& recipes) {
  Edits edits;
  for (const Recipe& recipe : recipe_table())
    if (const auto value = value_of(recipes, recipe.declaration); value && recipe.set_options)
      edits = recipe.set_options(*value, std::move(edits));
  return edits;
}

// An f32 plan on a CPU whose runtime computes in 16 bits by default. A program that sets no precision still gets f32 in
// ops that are marked. Elsewhere marks have no effect, and models stay as they are.
bool needs_f32_marks(const Plan& plan) {
  return plan.inference_precision == InferencePrecision::F32 && default_precision() != InferencePrecision::F32;
}

// The ops that stay in f32 where the runtime computes in 16 bits.
std::vector<OpInfo> f32_ops_of(const Model& model, const Plan& plan) {
  std::vector<OpInfo> ops;
  if (plan.inference_precision == InferencePrecision::F32 && !needs_f32_marks(plan)) return ops;
  for (const QuantizableOp& op : searchable_ops(model))
    if (const auto found = plan.ops.find(op.name);
        found != plan.ops.end() && found->second.precision == Precision::Fp32)
      ops.push_back({op.name, op.type});
  return ops;
}

std::vector<ConstantEdit> rescaled_constants(const Model& model, const RecipesOn& recipes) {
  std::vector<ConstantEdit> all;
  for (const Recipe* recipe : recipes) {
    if (!recipe->rescale_source) continue;
    std::vector<ConstantEdit> edits = recipe->rescale_source(model);
    std::move(edits.begin(), edits.end(), std::back_inserter(all));
  }
  return all;
}

ScoreDivisors change_weights(const RecipeContext& context, const RecipesOn& recipes, Rescaling rescaling) {
  ScoreDivisors divisors;
  for (const Recipe* recipe : recipes)
    if (recipe->change_weights) divisors.merge(recipe->change_weights(context, rescaling));
  return divisors;
}

}  // namespace

Edits resolve(const Model& model, const Plan& plan, const Statistics& statistics, const EmbeddingEdits* embeddings) {
  const RecipeContext context{model, plan, statistics, embeddings};
  const RecipesOn recipes = recipes_on(plan.recipes);
  const std::vector<QuantizableOp> ops = quantizable_ops(model);
  const Kernels kernels = find_kernels(model, ops);
  Constants constants(model);
  for (ConstantEdit& edit : rescaled_constants(model, recipes)) constants.set(edit.constant, std::move(edit.values));
  std::set<std::string> others;
  for (const QuantizableOp& product : activation_products(model)) others.insert(product.name);
  for (const QuantizableOp& sequence : recurrent_sequences(model)) others.insert(sequence.name);
  std::vector<QuantizationTarget> all = find_targets(kernels, ops, plan, statistics, constants, others);
  const ScoreDivisors divisors = change_weights(context, recipes, Rescaling(kernels, all, constants));
  Edits edits = edits_with_options(plan.recipes);
  edits.inference_precision = plan.inference_precision;
  edits.keeps_all_in_f32 = needs_f32_marks(plan) && !plan.ops.empty() && plan.int8_count() == 0;
  if (!edits.keeps_all_in_f32) edits.f32_ops = f32_ops_of(model, plan);
  edits.ops.resize(all.size());
  for_each_index(all.size(), static_cast<int>(std::thread::hardware_concurrency()), [&](std::size_t i) {
    edits.ops[i] = edit_of(all[i], recipes);
    all[i].weights.release();
  });
  mark_needed_biases(model, edits);
  edits.products = product_edits(model, plan, statistics, divisors);
  edits.sequences = sequence_edits(model, plan, statistics);
  edits.constants = constants.edits();
  unify_pooled_levels(model, edits);
  unify_connected_levels(model, statistics, edits);
  for (const Recipe* recipe : recipes)
    if (recipe->finish) edits = recipe->finish(context, std::move(edits));
  for (InputEdit& read : integer_reads(model, edits, statistics)) edits.inputs.push_back(std::move(read));
  if (edits.onnx_runtime)
    for (InputEdit& read : onnx_runtime_reads(model, edits, statistics)) edits.inputs.push_back(std::move(read));
  for (InputEdit& moved : moved_quantizers(model, edits)) edits.inputs.push_back(std::move(moved));
  return edits;
}

Model rescaled(const Model& model, const Recipes& recipes) {
  Edits edits;
  edits.constants = rescaled_constants(model, recipes_on(recipes));
  return apply(model, edits);
}

}  // namespace lpot
