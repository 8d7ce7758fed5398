#include <atomic>
#include <exception>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "lpot/quantize/activation_range.h"
#include "lpot/quantize/edits.h"
#include "lpot/quantize/products.h"
#include "lpot/quantize/quantizer_places.h"
#include "lpot/quantize/recipes/balanced_scores.h"
#include "lpot/quantize/recipes/bias_correction.h"
#include "lpot/quantize/recipes/cross_layer_equalization.h"
#include "lpot/quantize/recipes/int8_tables.h"
#include "lpot/quantize/recipes/residual_sums.h"
#include "lpot/quantize/recipes/smooth_plan.h"
#include "lpot/quantize/recipes/smooth_quant.h"
#include "lpot/quantize/recipes/weight_correction.h"
#include "lpot/quantize/work.h"

namespace lpot {
namespace {

Range range_of(const Work& work) {
  const TensorScheme& scheme = work.plan->activation;
  if (!work.divisors.empty()) return divided_range(*work.input, work.divisors, scheme.symmetry);
  return find_range(*work.input, scheme.algorithm, {.symmetry = scheme.symmetry});
}

std::vector<float> input_means(const Work& work) {
  std::vector<float> means;
  for (const ChannelStatistics& channel : work.input->channels()) means.push_back(static_cast<float>(channel.mean()));
  for (std::size_t i = 0; i < work.divisors.size(); ++i) means[i] /= work.divisors[i];
  return means;
}

OpEdit edit_of(const Work& work, const Recipes& recipes) {
  QuantizedRows rows = quantize_rows(work.weights, work.plan->weight);
  if (recipes.weight_correction) correct_weights(work.weights, rows);
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
              .form = work.plan->form};
  if (work.plan->weights_only) return edit;
  edit.activation = work.op().activation;
  edit.levels = activation_levels(range_of(work), work.plan->activation.symmetry);
  // A tensor whose channels were not told apart (its rank varies) has no means to correct with.
  if (recipes.bias_correction && work.input->channels().size() == work.weights.inputs())
    edit.bias = bias_correction(work.weights, rows, input_means(work));
  return edit;
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

Edits resolve(const Model& model, const Plan& plan, const Statistics& statistics, const TableEdits* tables) {
  const std::vector<QuantizableOp> ops = quantizable_ops(model);
  const Kernels kernels = kernels_of(model, ops);
  Constants constants(model);
  if (plan.recipes.cross_layer_equalization)
    for (ConstantEdit& edit : equalize_layers(model)) constants.set(edit.constant, std::move(edit.values));
  std::set<std::string> products;
  for (const QuantizableOp& product : activation_products(model)) products.insert(product.name);
  std::vector<Work> all = find_work(kernels, ops, plan, statistics, constants, products);
  ScoreDivisors divisors;
  if (plan.recipes.smooth_quant) {
    Rescaling rescaling(kernels, all, constants);
    smooth_plan(model, rescaling, plan.recipes.smooth_quant_alpha);
    divisors = balance_scores(model, plan, statistics, rescaling);
  }
  Edits edits;
  edits.run_time_groups = plan.recipes.run_time_groups;
  edits.through_max_pooling = plan.recipes.through_max_pooling;
  edits.through_concat = plan.recipes.through_concat;
  edits.ops.resize(all.size());
  in_parallel(all.size(), [&](std::size_t i) {
    edits.ops[i] = edit_of(all[i], plan.recipes);
    all[i].weights.release();
  });
  edits.products = product_edits(model, plan, statistics, divisors);
  edits.constants = constants.edits();
  edits.reads = shared_reads(model, edits);
  if (plan.recipes.residual_sums) edits.sums = sum_edits(model, edits.ops, statistics);
  if (plan.recipes.int8_tables) edits.tables = tables ? tables->get() : table_edits(model);
  return edits;
}

Model rescaled(const Model& model, const Recipes& recipes) {
  Edits edits;
  if (recipes.cross_layer_equalization) edits.constants = equalize_layers(model);
  return apply(model, edits);
}

}  // namespace lpot
