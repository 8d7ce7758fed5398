#include "lpot/quantize/kernel_variants/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "lpot/core/memory.h"
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

constexpr double kClearly = 0.9;  // a time that is less than this share of another is the better one

constexpr double kVariantGain = 0.95;  // a whole model that is not this much faster is not worth the change
constexpr double kBeyondDoubt = 0.8;   // a whole whose kernels take less than this share is faster

constexpr double kNoise = 1.02;  // two whole models whose times differ by less are equally fast

using Products = std::map<std::string, KernelVariant>;  // with the form that each may have

// Products of rows whose number depends on the data are told apart by what is open although the inputs are not.
Products find_products(const Model& fp32, const std::vector<Tensor>& inputs) {
  Products products;
  for (const auto& node : graph_for(fp32, inputs)->get_ordered_ops()) {
    if (!ov::is_type<ov::opset8::MatMul>(node)) continue;
    const ov::PartialShape& shape = node->get_input_partial_shape(0);
    const bool has_open_rows = shape.rank().is_static() && shape.size() == 2 && shape[0].is_dynamic();
    products.emplace(op_name(*node), has_open_rows ? KernelVariant::Pixels : KernelVariant::Convolution);
  }
  return products;
}

// The plan with these ops, where they are in int8, as convolutions.
Plan as_convolutions(Plan plan, const Products& products) {
  for (const auto& [product, variant] : products)
    if (const auto op = plan.ops.find(product); op != plan.ops.end() && op->second.precision == Precision::Int8)
      op->second.variant = variant;
  return plan;
}

// The times of one profile as they would have been in another, where the model that both had took `there`.
Times as_beside(const Times& there, const Times& here, Times times) {
  for (auto& [op, time] : times) {
    const auto a = there.find(op), b = here.find(op);
    if (a != there.end() && b != here.end() && b->second > 0) time *= a->second / b->second;
  }
  return times;
}

// Ops of one type with weights and outputs of one shape do the same work: they share their times, which is steadier.
void share_times(Times& times, const Model& model) {
  std::map<std::string, std::vector<std::string>> alike;
  for (const auto& node : model.graph->get_ordered_ops())
    if (times.contains(op_name(*node)) && find_capability(node->get_type_name()))
      alike[fmt::format("{} {} {}", node->get_type_name(), node->get_input_partial_shape(1).to_string(),
                        node->get_output_partial_shape(0).to_string())]
          .push_back(op_name(*node));
  for (const auto& [signature, ops] : alike) {
    std::vector<double> all;
    for (const std::string& op : ops) all.push_back(times.at(op));
    const double shared = summarize(std::move(all)).median_ms;
    for (const std::string& op : ops) times[op] = shared;
  }
}

// Of the time of all kernels, what these ops take.
double share_of(const Products& products, const Times& times) {
  double theirs = 0;
  for (const auto& [op, variant] : products)
    if (const auto found = times.find(op); found != times.end()) theirs += found->second;
  const double all = times.at(kAllKernels);
  return all > 0 ? theirs / all : 0;
}

// Ops whose int8 kernel loses to fp32 with what it brings along, if that shows in the whole model; all of them where
// int8 loses whatever is done. `kernels`: the time of all kernels of fp32 and of the int8 model.
std::vector<std::string> slower_in_int8(const Model& fp32, const Model& int8, const Plan& plan,
                                        const Statistics& statistics, const KernelVariantChoice& choice,
                                        const std::pair<double, double>& kernels, InterleavedTimer& turns,
                                        double seconds) {
  Plan mixed_plan = plan;
  std::vector<std::string> slower, all;
  double to_gain = 0;
  for (const auto& [name, times] : choice.times) {
    all.push_back(name);
    const double int8_ms = choice.variants.contains(name) ? times.convolution_ms : times.plain_ms;
    if (times.fp32_ms >= kClearly * int8_ms) continue;
    slower.push_back(name);
    mixed_plan.ops[name] = OpPlan{};
    to_gain += int8_ms - times.fp32_ms;
  }
  const bool is_clearly_faster = kernels.second < kBeyondDoubt * kernels.first;
  if (is_clearly_faster && to_gain < (1 - kVariantGain) * kernels.second) return {};
  std::vector<const Model*> models{&fp32, &int8};
  Model mixed;
  if (!slower.empty() && mixed_plan.int8_count() > 0)
    models.push_back(&(mixed = quantize(fp32, mixed_plan, statistics)));
  const std::vector<double> whole = turns.time_whole(models, seconds);
  const double fp32_ms = whole[0], int8_ms = whole[1], mixed_ms = whole.back();
  const bool is_worth_it = mixed_ms < kVariantGain * int8_ms || (int8_ms > fp32_ms && mixed_ms < int8_ms);
  // To give int8 up altogether, losing once is not enough: the machine may have been busy.
  const Model& better = is_worth_it ? mixed : int8;
  const auto loses = [](double changed, double plain) { return changed > kNoise * plain; };
  if (loses(is_worth_it ? mixed_ms : int8_ms, fp32_ms)) {
    const std::vector<double> again = turns.time_whole({&fp32, &better}, std::max(1.0, 2 * seconds));
    if (loses(again[1], again[0])) return all;
  }
  return is_worth_it ? slower : std::vector<std::string>{};
}

// The op that a kernel came from, from the names that the runtime or our own writer gave it: "op", "op/channels_first",
// "tensor/quantize".
const std::string* owner_of(const std::string& name, const std::map<std::string, std::string>& owners) {
  for (std::string text = name;; text.resize(text.rfind('/'))) {
    if (const auto found = owners.find(text); found != owners.end()) return &found->second;
    if (text.find('/') == std::string::npos) return nullptr;
  }
}

}  // namespace

std::map<std::string, std::string> find_owners(const Model& model, const Plan& plan) {
  std::map<std::string, std::string> owners;
  for (const auto& node : model.graph->get_ordered_ops()) {
    const std::string name = op_name(*node);
    const bool is_own = plan.ops.contains(name) && find_capability(node->get_type_name());
    std::string owner = is_own ? name : "";
    for (std::size_t i = 0; i < node->get_input_size() && owner.empty(); ++i) {
      const auto above = owners.find(op_name(*node->get_input_node_ptr(i)));
      if (above != owners.end()) owner = above->second;
    }
    if (!owner.empty()) owners.emplace(name, owner);
    // A quantizer belongs to the op that reads the tensor.
    if (is_own) {
      const auto input = node->input_value(0);
      owners.try_emplace(tensor_name(*input.get_node(), input.get_index()) + "/quantize", name);
    }
  }
  return owners;
}

std::map<std::string, double> times_by_owner(const std::vector<ExecutedOp>& executed,
                                             const std::map<std::string, std::string>& owners) {
  std::map<std::string, double> times;
  for (const ExecutedOp& op : executed) {
    const std::string* owner = nullptr;
    for (const std::string& source : op.source_names)
      if (!owner) owner = owner_of(source, owners);
    if (!owner) owner = owner_of(op.name, owners);
    if (owner) times[*owner] += op.time_ms;
  }
  return times;
}

KernelVariantChoice choose_kernel_variants(const Model& fp32, const Plan& plan, const Statistics& statistics,
                                           const std::vector<Tensor>& inputs, const KernelVariantOptions& options,
                                           const Observer& observer) {
  const std::map<std::string, std::string> owners = find_owners(fp32, plan);
  const Products products = options.convolutions ? find_products(fp32, inputs) : Products{};

  // Forms change no numbers: what the plan comes down to is worked out once, and kept unless it is large.
  std::optional<Edits> edits;
  if (!options.write && fp32.size_bytes < kLargeModel) edits = resolve(fp32, plan, statistics);
  const auto written = [&](const Plan& in_variants) {
    if (options.write) return options.write(in_variants);
    if (!edits) return quantize(fp32, in_variants, statistics);
    for (OpEdit& op : edits->ops) op.variant = in_variants.ops.at(op.op).variant;
    return apply(fp32, *edits);
  };
  std::optional<CompiledModels> own;
  CompiledModels& compiled = options.compiled ? *options.compiled : own.emplace(inputs);
  InterleavedTimer turns(compiled, inputs, owners, observer);
  std::optional<Model> plain, convolutions;
  const auto write_plain = [&]() -> const Model& { return plain.emplace(written(plan)); };
  const auto write_convolutions = [&]() -> const Model& {
    return convolutions.emplace(written(as_convolutions(plan, products)));
  };
  std::vector<Times> times = turns.profile(fp32, write_plain, options.seconds);
  // Products that take little of the time could not make the whole so much faster that it is worth the change.
  const bool compares_forms = share_of(products, times[0]) > 1 - kVariantGain;
  if (compares_forms) {
    const std::vector<Times> again = turns.profile(*plain, write_convolutions, options.seconds);
    times.push_back(as_beside(times[1], again[0], again[1]));
  }
  for (Times& of_model : times) share_times(of_model, fp32);
  release_freed_memory();

  KernelVariantChoice choice;
  const auto time_of = [&](std::size_t model, const std::string& op) {
    const auto found = times[model].find(op);
    return found == times[model].end() ? 0.0 : found->second;
  };
  Plan formed = plan;
  for (auto& [name, op] : formed.ops) {
    if (op.precision != Precision::Int8) continue;
    const auto product = products.find(name);
    const bool is_product = compares_forms && product != products.end();
    OpTimes& found = choice.times[name];
    found = {time_of(0, name), time_of(1, name), is_product ? time_of(2, name) : 0.0};
    if (found.convolution_ms > 0 && found.convolution_ms < kClearly * found.plain_ms) op.variant = product->second;
  }
  if (formed != plan) {
    if (formed != as_convolutions(plan, products)) convolutions = written(formed);
    const std::vector<double> whole = turns.time_whole({&*convolutions, &*plain}, options.seconds / 2);
    if (whole[0] >= kVariantGain * whole[1]) formed = plan;
  }
  const Model int8 = std::move(formed == plan ? *plain : *convolutions);
  plain.reset();
  convolutions.reset();
  for (const auto& [name, op] : formed.ops)
    if (op.variant != KernelVariant::Plain) choice.variants[name] = op.variant;
  const std::pair kernels{times[0].at(kAllKernels), times[formed == plan ? 1 : 2].at(kAllKernels)};
  choice.slower_in_int8 = slower_in_int8(fp32, int8, formed, statistics, choice, kernels, turns, options.seconds / 2);
  return choice;
}

}  // namespace lpot
