#include "lpot/quantize/resolve.h"

#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantization_target.h"
#include "lpot/quantize/graph/quantizer_places.h"
#include "lpot/quantize/recipes/smooth_quant.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/writers/openvino.h"

namespace lpot {
namespace {

Range range_of(const QuantizationTarget& work) {
  const TensorScheme& scheme = work.plan->activation;
  if (!work.divisors.empty()) return divided_range(*work.input, work.divisors, scheme.symmetry);
  return find_range(*work.input, scheme.algorithm, {.symmetry = scheme.symmetry});
}

using RecipesOn = std::vector<const Recipe*>;

OpEdit edit_of(const QuantizationTarget& work, const RecipesOn& recipes) {
  QuantizedRows rows = quantize_rows(work.weights, work.plan->weight);
  for (const Recipe* recipe : recipes)
    if (recipe->adjust_weights) rows = recipe->adjust_weights(work.weights, std::move(rows));
  const int axis = find_capability(work.op().type)->channel_axis;
  OpEdit edit{.op = work.op().name,
              .type = work.op().type,
              .activation = {},
              .levels = {},
              .input_divisors = work.divisors,
              .divided_before = work.divided_before,
              .input_channel_axis = axis,
              .weights = in_order_of_constant(work.weights, rows),
              .weight_axes = work.op().weight_axes,
              .bias = {},
              .output_channel_axis = axis,
              .variant = work.plan->variant};
  if (work.plan->weights_only) return edit;
  edit.activation = work.op().activation;
  edit.levels = activation_levels(range_of(work), work.plan->activation.symmetry);
  for (const Recipe* recipe : recipes)
    if (recipe->adjust_op) edit = recipe->adjust_op(work, rows, std::move(edit));
  return edit;
}

Edits edits_with_options(const Recipes& recipes) {
  Edits edits;
  for (const Recipe& recipe : recipe_table())
    if (const auto value = value_of(recipes, recipe.declaration); value && recipe.set_options)
      edits = recipe.set_options(*value, std::move(edits));
  return edits;
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

ScoreDivisors rescale_targets(const RecipeContext& context, const RecipesOn& recipes, Rescaling rescaling) {
  ScoreDivisors divisors;
  for (const Recipe* recipe : recipes)
    if (recipe->rescale_targets) divisors.merge(recipe->rescale_targets(context, rescaling));
  return divisors;
}

// Calls `work(i)` for every i below `count`, on all cores.
template <typename Function>
void in_parallel(std::size_t count, Function&& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failed;  // an exception that left a thread would end the program
  const auto take = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (unsigned i = 1; i < std::thread::hardware_concurrency() && i < count; ++i) helpers.emplace_back(take);
    } catch (const std::system_error&) {  // the system gives no more threads: fewer do as well
    }
    take();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace

Edits resolve(const Model& model, const Plan& plan, const Statistics& statistics, const EmbeddingEdits* embeddings) {
  const RecipeContext context{model, plan, statistics, embeddings};
  const RecipesOn recipes = recipes_on(plan.recipes);
  const std::vector<QuantizableOp> ops = quantizable_ops(model);
  const Kernels kernels = kernels_of(model, ops);
  Constants constants(model);
  for (ConstantEdit& edit : rescaled_constants(model, recipes)) constants.set(edit.constant, std::move(edit.values));
  std::set<std::string> products;
  for (const QuantizableOp& product : activation_products(model)) products.insert(product.name);
  std::vector<QuantizationTarget> all = find_targets(kernels, ops, plan, statistics, constants, products);
  const ScoreDivisors divisors = rescale_targets(context, recipes, Rescaling(kernels, all, constants));
  Edits edits = edits_with_options(plan.recipes);
  edits.ops.resize(all.size());
  in_parallel(all.size(), [&](std::size_t i) {
    edits.ops[i] = edit_of(all[i], recipes);
    all[i].weights.release();
  });
  edits.products = product_edits(model, plan, statistics, divisors);
  edits.constants = constants.edits();
  edits.reads = shared_reads(model, edits);
  for (const Recipe* recipe : recipes)
    if (recipe->finish) edits = recipe->finish(context, std::move(edits));
  return edits;
}

Model rescaled(const Model& model, const Recipes& recipes) {
  Edits edits;
  edits.constants = rescaled_constants(model, recipes_on(recipes));
  return apply(model, edits);
}

}  // namespace lpot
