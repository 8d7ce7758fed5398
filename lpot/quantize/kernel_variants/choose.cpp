#include "lpot/quantize/kernel_variants/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>
#include <set>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "lpot/core/large_models.h"
#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/kernel_variants/cache.h"
#include "lpot/quantize/kernel_variants/interleaved_timer.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

// An op time below this share of another is better. The time of an op is a lower quartile of short runs with the
// profiler, which differs by some percent from profile to profile. Whole models confirm what it suggests.
constexpr double kClearly = 0.9;

// A whole model must be this much faster to justify other variants or ops in fp32: less is not worth larger files and
// fewer ops in int8. The gain must also be beyond the spread of the comparison.
constexpr double kVariantGain = 0.95;

// Below this share of fp32's kernel time, the whole model is faster too: the time outside of kernels (conversions of
// inputs and outputs) is far below 20%. So it is not compared.
constexpr double kCertainlyFaster = 0.8;

// Whether a comparison of whole models justifies a change.
bool is_worth_it(const TimeRatio& gain) { return gain.is_faster_beyond_spread() && gain.median > 1 / kVariantGain; }

using Products = std::map<std::string, KernelVariant>;  // products and the variant that each may use

// A product of rows whose number depends on the data still has a dynamic shape although the inputs are static.
Products find_products(const Model& fp32, const std::vector<Tensor>& inputs) {
  Products products;
  for (const auto& node : all_ops(*graph_for(fp32, inputs))) {
    if (!ov::is_type<ov::opset8::MatMul>(node)) continue;
    const ov::PartialShape& shape = node->get_input_partial_shape(0);
    const bool has_dynamic_rows = shape.rank().is_static() && shape.size() == 2 && shape[0].is_dynamic();
    products.emplace(op_name(*node), has_dynamic_rows ? KernelVariant::Pixels : KernelVariant::Convolution);
  }
  return products;
}

// The plan with these products, if they are in int8, as convolutions.
Plan as_convolutions(Plan plan, const Products& products) {
  for (const auto& [product, variant] : products)
    if (const auto op = plan.ops.find(product); op != plan.ops.end() && op->second.is_int8())
      op->second.variant = variant;
  return plan;
}

// Converts times of one profile to the conditions of another one. Both profiles also timed a common model, whose times
// give the ratio of the conditions for each op.
Times rescale_times(const Times& common_in_target, const Times& common_in_source, Times times) {
  for (auto& [op, time] : times) {
    const auto target = common_in_target.find(op), source = common_in_source.find(op);
    if (target != common_in_target.end() && source != common_in_source.end() && source->second > 0)
      time *= target->second / source->second;
  }
  return times;
}

// Ops with the same type, weight shape and output shape do the same work. They share their median time, which is less
// noisy.
void share_times(Times& times, const Model& model) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& node : all_ops(*model.graph))
    if (times.contains(op_name(*node)) && find_capability(node->get_type_name()))
      groups[fmt::format("{} {} {}", node->get_type_name(), node->get_input_partial_shape(1).to_string(),
                         node->get_output_partial_shape(0).to_string())]
          .push_back(op_name(*node));
  for (const auto& [signature, ops] : groups) {
    std::vector<double> all;
    for (const std::string& op : ops) all.push_back(times.at(op));
    const double shared = summarize(std::move(all)).median_ms;
    for (const std::string& op : ops) times[op] = shared;
  }
}

// The share of these ops in the time of all kernels.
double share_of(const Products& products, const Times& times) {
  double products_ms = 0;
  for (const auto& [op, variant] : products)
    if (const auto found = times.find(op); found != times.end()) products_ms += found->second;
  const double all = times.at(kAllKernels);
  return all > 0 ? products_ms / all : 0;
}

// Writes the int8 model of a plan with other variants. Variants do not change any numbers, so the plan is resolved
// once. The edits of a large model are not kept in memory.
class VariantWriter {
 public:
  VariantWriter(const Model& fp32, const Plan& plan, const Statistics& statistics, const KernelVariantOptions& options)
      : fp32_(fp32), statistics_(statistics), options_(options) {
    if (!options.write && fp32.size_bytes < kLargeModel) edits_ = resolve(fp32, plan, statistics);
  }

  Model operator()(const Plan& with_variants) {
    if (options_.write) return options_.write(with_variants);
    if (!edits_) return quantize(fp32_, with_variants, statistics_);
    for (OpEdit& op : edits_->ops) op.variant = with_variants.ops.at(op.op).variant;
    return apply(fp32_, *edits_);
  }

 private:
  const Model& fp32_;
  const Statistics& statistics_;
  const KernelVariantOptions& options_;
  std::optional<Edits> edits_;
};

// The times of the int8 ops. `times`: of the fp32 model, the plain int8 model and, if it was profiled, the one with
// products as convolutions.
std::map<std::string, OpTimes> times_of_ops(const Plan& plan, const Products& products,
                                            const std::vector<Times>& times) {
  const auto time_of = [&](std::size_t model, const std::string& op) {
    const auto found = times[model].find(op);
    return found == times[model].end() ? 0.0 : found->second;
  };
  std::map<std::string, OpTimes> of_ops;
  for (const auto& [name, op] : plan.ops) {
    if (!op.is_int8()) continue;
    const bool has_variant = times.size() > 2 && products.contains(name);
    of_ops[name] = {time_of(0, name), time_of(1, name), has_variant ? time_of(2, name) : 0.0};
  }
  return of_ops;
}

// The plan with the other variant of every product that is clearly faster in it.
Plan with_fastest_variants(Plan plan, const Products& products, const std::map<std::string, OpTimes>& times) {
  for (const auto& [name, op] : times)
    if (op.convolution_ms > 0 && op.convolution_ms < kClearly * op.plain_ms) plan.ops[name].variant = products.at(name);
  return plan;
}

// Ops that are slower in int8 than in fp32, if reverting them makes the whole model faster. All ops if int8 is slower
// in any case. `kernels`: the time of all kernels of the fp32 and of the int8 model.
std::vector<std::string> slower_in_int8(const Model& fp32, const Model& int8, const Plan& plan,
                                        const Statistics& statistics, const KernelVariantChoice& choice,
                                        const std::pair<double, double>& kernels, InterleavedTimer& timer,
                                        double seconds) {
  Plan mixed_plan = plan;
  std::vector<std::string> slower, all;
  double possible_gain_ms = 0;
  for (const auto& [name, times] : choice.times) {
    all.push_back(name);
    const double int8_ms = choice.variants.contains(name) ? times.convolution_ms : times.plain_ms;
    if (times.fp32_ms >= kClearly * int8_ms) continue;
    slower.push_back(name);
    mixed_plan.ops[name] = {.precision = unquantized(plan.inference_precision)};
    possible_gain_ms += int8_ms - times.fp32_ms;
  }
  const bool is_clearly_faster = kernels.second < kCertainlyFaster * kernels.first;
  if (is_clearly_faster && possible_gain_ms < (1 - kVariantGain) * kernels.second) return {};
  std::vector<const Model*> models{&fp32, &int8};
  Model mixed;
  if (!slower.empty() && mixed_plan.int8_count() > 0)
    models.push_back(&(mixed = quantize(fp32, mixed_plan, statistics)));
  const Comparison whole = timer.compare_whole(models, seconds);
  const std::size_t last = models.size() - 1;  // the mixed model, if there is one
  const TimeRatio gain = last > 1 ? whole.ratio(last, 1) : TimeRatio{};
  const bool takes_mixed =
      is_worth_it(gain) || (whole.ratio(1).is_slower_beyond_spread() && gain.is_faster_beyond_spread());
  // Before all ops are reverted to fp32, int8 must lose twice: the machine may have been busy the first time.
  if (whole.ratio(takes_mixed ? last : 1).is_slower_beyond_spread()) {
    const Comparison again = timer.compare_whole({&fp32, takes_mixed ? &mixed : &int8}, std::max(1.0, 2 * seconds));
    if (again.ratio(1).is_slower_beyond_spread()) return all;
  }
  return takes_mixed ? slower : std::vector<std::string>{};
}

// The op that a kernel came from, found by the names that the runtime or the writer gave it: "op", "op/channels_first",
// "tensor/quantize".
const std::string* owner_of(const std::string& name, const std::map<std::string, std::string>& owners) {
  for (std::string text = name;; text.resize(text.rfind('/'))) {
    if (const auto found = owners.find(text); found != owners.end()) return &found->second;
    if (text.find('/') == std::string::npos) return nullptr;
  }
}

// The plug-in splits a sequence with two directions into two kernels that do not have its name. They run in the order
// of the graph, so their owners are found by their number.
std::string key_of_unnamed(std::size_t number) { return fmt::format("unnamed sequence {}", number); }

// The runtime reports no times inside bodies, so the ops in the bodies of an If or a loop share its time equally.
void share_with_bodies(const ExecutedOp& op, const std::map<std::string, std::string>& owners, Times& times) {
  const std::string path = op.name + "/";
  std::set<std::string> inside;
  for (auto at = owners.lower_bound(path); at != owners.end() && at->first.starts_with(path); ++at)
    if (at->second.starts_with(path)) inside.insert(at->second);
  for (const std::string& each : inside) times[each] += op.time_ms / static_cast<double>(inside.size());
}

bool has_two_directions(const ov::Node& node) {
  constexpr auto kBoth = ov::op::RecurrentSequenceDirection::BIDIRECTIONAL;
  if (const auto lstm = ov::as_type<const ov::opset8::LSTMSequence>(&node)) return lstm->get_direction() == kBoth;
  const auto gru = ov::as_type<const ov::opset8::GRUSequence>(&node);
  return gru && gru->get_direction() == kBoth;
}

}  // namespace

std::map<std::string, std::string> find_owners(const Model& model, const Plan& plan) {
  std::map<std::string, std::string> owners;
  std::size_t unnamed = 0;
  for (const auto& node : all_ops(*model.graph)) {
    const std::string name = op_name(*node);
    const bool is_quantizable = plan.ops.contains(name) && find_capability(node->get_type_name());
    std::string owner = is_quantizable ? name : "";
    // The time of an If or a loop belongs to the ops in its bodies (times_by_owner).
    if (!bodies_of(*node).empty()) continue;
    for (std::size_t i = 0; i < node->get_input_size() && owner.empty(); ++i) {
      const auto above = owners.find(op_name(*node->get_input_node_ptr(i)));
      if (above != owners.end()) owner = above->second;
    }
    if (!owner.empty()) owners.emplace(name, owner);
    for (int direction = 0; direction < 2 && has_two_directions(*node); ++direction)
      owners.emplace(key_of_unnamed(unnamed++), owner);
    // A quantizer counts for the op that reads the tensor.
    if (is_quantizable) {
      const auto input = node->input_value(0);
      owners.try_emplace(tensor_name(*input.get_node(), input.get_index()) + "/quantize", name);
    }
  }
  return owners;
}

std::map<std::string, double> times_by_owner(const std::vector<ExecutedOp>& executed,
                                             const std::map<std::string, std::string>& owners) {
  std::map<std::string, double> times;
  std::size_t unnamed = 0;
  for (const ExecutedOp& op : executed) {
    const std::string* owner = nullptr;
    for (const std::string& source : op.source_names)
      if (!owner) owner = owner_of(source, owners);
    if (!owner) owner = owner_of(op.name, owners);
    if (!owner && op.type == "RNNSeq") owner = owner_of(key_of_unnamed(unnamed++), owners);
    if (owner && !owner->empty()) times[*owner] += op.time_ms;
    if (!owner && op.time_ms > 0) share_with_bodies(op, owners, times);
  }
  return times;
}

KernelVariantChoice choose_kernel_variants(const Model& fp32, const Plan& plan, const Statistics& statistics,
                                           const std::vector<Tensor>& inputs, const KernelVariantOptions& options,
                                           const Observer& observer) {
  const std::map<std::string, std::string> owners = find_owners(fp32, plan);
  const Products products = options.convolutions ? find_products(fp32, inputs) : Products{};
  VariantWriter write(fp32, plan, statistics, options);
  std::optional<CompiledModels> own;
  CompiledModels& compiled = options.compiled ? *options.compiled : own.emplace(inputs);
  InterleavedTimer timer(compiled, inputs, owners, observer);
  std::optional<Model> plain, convolutions;
  const auto write_plain = [&]() -> const Model& { return plain.emplace(write(plan)); };
  const auto write_convolutions = [&]() -> const Model& {
    return convolutions.emplace(write(as_convolutions(plan, products)));
  };
  std::vector<Times> times = timer.profile(fp32, write_plain, options.seconds);
  // Products with a small share of the time cannot speed up the whole model enough.
  if (share_of(products, times[0]) > 1 - kVariantGain) {
    const std::vector<Times> again = timer.profile(*plain, write_convolutions, options.seconds);
    times.push_back(rescale_times(times[1], again[0], again[1]));
  }
  for (Times& of_model : times) share_times(of_model, fp32);
  release_freed_memory();

  KernelVariantChoice choice;
  choice.times = times_of_ops(plan, products, times);
  Plan chosen = with_fastest_variants(plan, products, choice.times);
  if (chosen != plan) {
    if (chosen != as_convolutions(plan, products)) convolutions = write(chosen);
    const Comparison whole = timer.compare_whole({&*plain, &*convolutions}, options.seconds / 2);
    if (!is_worth_it(whole.ratio(1))) chosen = plan;
  }
  const Model int8 = std::move(chosen == plan ? *plain : *convolutions);
  plain.reset();
  convolutions.reset();
  for (const auto& [name, op] : chosen.ops)
    if (op.variant != KernelVariant::Plain) choice.variants[name] = op.variant;
  const std::pair kernels{times[0].at(kAllKernels), times[chosen == plan ? 1 : 2].at(kAllKernels)};
  choice.slower_in_int8 = slower_in_int8(fp32, int8, chosen, statistics, choice, kernels, timer, options.seconds / 2);
  return choice;
}

}  // namespace lpot
