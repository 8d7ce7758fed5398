#include "lpot/tune/speed_check_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "lpot/core/error.h"
#include "lpot/core/large_models.h"
#include "lpot/quantize/kernel_variants/choose.h"
#include "lpot/quantize/kernel_variants/interleaved_timer.h"
#include "lpot/report/table.h"
#include "lpot/runtime/precision.h"

namespace lpot {
namespace {

constexpr double kQuickSeconds = 0.3;  // of one comparison or profile
constexpr int kMaxRepairs = 2;  // fewer int8 ops change the kernels around them, so one profile may not be enough

bool is_slower(const TimeRatio& speedup) { return interval_rank(speedup.blocks) > 0 && speedup.high < 1; }

// The plan with the ops in float that are not faster in int8.
Plan without_slow_ops(Plan plan, const PlanChoices& choices, const std::map<std::string, OpTimes>& times) {
  for (const OpSpace& op : choices.ops) {
    const auto measured = times.find(op.name);
    OpPlan& planned = plan.ops.at(op.name);
    if (measured == times.end() || !planned.is_int8() || !op.can_fall_back()) continue;
    if (measured->second.fp32_ms <= measured->second.plain_ms) planned = op.choices.back();
  }
  return plan;
}

std::vector<std::string> ops_without_int8(const Plan& before, const Plan& after) {
  std::vector<std::string> names;
  for (const auto& [name, op] : after.ops)
    if (!op.is_int8() && before.ops.at(name).is_int8()) names.push_back(name);
  return names;
}

// Times the models of plans against the model without int8.
class MeasuredPlans {
 public:
  MeasuredPlans(const SpeedCheck& check, CandidateBuilder& builder, const Observer& observer)
      : check_(check),
        builder_(builder),
        observer_(observer),
        owners_(find_owners(check.task.model, unquantized_plan(check.choices))),
        unquantized_(builder.model(unquantized_plan(check.choices))),
        compiled_(check.sample),
        timer_(compiled_, check.sample, owners_, observer) {}

  TimeRatio speedup(const Plan& plan) {
    const Model int8 = builder_.model(plan);
    const Comparison first = timer_.compare_whole({&unquantized_, &int8}, kQuickSeconds);
    const TimeRatio ratio = in_both_orders(first.ratio(1), int8, compiled_.threads());
    if (is_slower(ratio)) return ratio;
    // A short model was timed on one core, but programs often run it on all cores. If other programs use the cores,
    // such times are not reliable (runtime/comparison.h).
    if (compiled_.threads() != 1 || std::thread::hardware_concurrency() < 2 || first.basis == TimeBasis::Cpu)
      return ratio;
    CompiledModels on_all_cores(check_.sample, 0);
    InterleavedTimer timer(on_all_cores, check_.sample, owners_, observer_);
    const Comparison whole = timer.compare_whole({&unquantized_, &int8}, kQuickSeconds);
    if (whole.basis != TimeBasis::Wall) return ratio;
    const TimeRatio of_all_cores = in_both_orders(whole.ratio(1), int8, 0);
    return is_slower(of_all_cores) ? of_all_cores : ratio;
  }

  std::map<std::string, OpTimes> op_times(const Plan& plan) {
    const Model int8 = builder_.model(plan);
    const std::vector<Times> times = timer_.profile(
        unquantized_, [&]() -> const Model& { return int8; }, kQuickSeconds);
    std::map<std::string, OpTimes> of_ops;
    for (const auto& [name, op] : plan.ops)
      if (op.is_int8() && times[0].contains(name) && times[1].contains(name))
        of_ops[name] = {times[0].at(name), times[1].at(name)};
    return of_ops;
  }

  // The plan's precision may be another than the one that programs use unless they set it.
  void compare_with_default(const Plan& plan) {
    const InferencePrecision usual = default_precision();
    if (usual == plan.inference_precision) return;
    Model in_default = check_.task.model;
    in_default.precision = usual;
    const Model int8 = builder_.model(plan);
    const TimeRatio ratio = timer_.compare_whole({&in_default, &int8}, kQuickSeconds).ratio(1);
    if (!is_slower(ratio)) return;
    observer_.log(
        LogLevel::Warning,
        fmt::format("the model without int8 in {0}, OpenVINO's default on this CPU, is faster than the int8 "
                    "model with {1}: the int8 model runs at {2:.2f} x of its speed; remove the setting of {1} "
                    "from the configuration to allow {0}",
                    to_string(usual), to_string(plan.inference_precision), ratio.median));
  }

 private:
  // The arrangement of two models in memory changes their ratio by up to some percent. So a slower model is compiled
  // and timed again, in the other order.
  TimeRatio in_both_orders(const TimeRatio& measured, const Model& int8, int threads) {
    if (!is_slower(measured)) return measured;
    CompiledModels compiled(check_.sample, threads);
    InterleavedTimer timer(compiled, check_.sample, owners_, observer_);
    return better(measured, timer.compare_whole({&int8, &unquantized_}, kQuickSeconds).ratio(0, 1));
  }

  static TimeRatio better(const TimeRatio& one, const TimeRatio& other) { return one.high > other.high ? one : other; }

  const SpeedCheck& check_;
  CandidateBuilder& builder_;
  const Observer& observer_;
  std::map<std::string, std::string> owners_;
  Model unquantized_;
  CompiledModels compiled_;
  InterleavedTimer timer_;
};

void log_reverted(const Plan& before, const Plan& after, const TimeRatio& speedup, const Observer& observer) {
  const std::vector<std::string> names = ops_without_int8(before, after);
  if (names.empty()) return;
  observer.log(LogLevel::Info,
               fmt::format("{} more ops stay in {}, because they are not faster in int8 in the final model, which is "
                           "now {:.2f} x as fast as the model without int8: {}",
                           names.size(), to_string(unquantized(after.inference_precision)), speedup.median,
                           format_names(names, "deploy.yaml")));
}

}  // namespace

Plan without_slowdown(const Plan& proposed, const PlanChoices& choices, const PlanTimer& timer,
                      const Observer& observer) {
  if (proposed.int8_count() == 0) return proposed;
  Plan fastest = proposed;
  TimeRatio best = timer.speedup(proposed);
  for (int repair = 0; repair < kMaxRepairs && !best.is_faster_beyond_spread(); ++repair) {
    const Plan next = without_slow_ops(fastest, choices, timer.op_times(fastest));
    if (next == fastest || next.int8_count() == 0) break;
    const TimeRatio speedup = timer.speedup(next);
    if (speedup.median <= best.median) break;
    fastest = next;
    best = speedup;
  }
  // The machine may have been busy the first time.
  if (is_slower(best) && may_be_unquantized(choices)) {
    if (const TimeRatio again = timer.speedup(fastest); is_slower(again)) {
      observer.log(
          LogLevel::Warning,
          fmt::format("the int8 model runs at {1:.2f} x of the speed of the model without int8 on this CPU, so "
                      "the model stays in {0}; set tuning.objective: modelsize to get a smaller int8 model",
                      to_string(unquantized(choices.inference_precision)), again.median));
      return unquantized_plan(choices);
    }
  }
  log_reverted(proposed, fastest, best, observer);
  return fastest;
}

Plan check_speed(const SpeedCheck& check, CandidateBuilder& builder, const Plan& plan, const Observer& observer) {
  const bool speed_decides = check.config.quantization.recipes.measured_kernel_variants && !is_dynamic(check.config) &&
                             check.config.tuning.objective == Objective::Performance;
  if (!speed_decides || check.task.model.size_bytes >= kLargeModel || plan.int8_count() == 0) return plan;
  try {
    MeasuredPlans measured(check, builder, observer);
    const PlanTimer timer{[&](const Plan& of) { return measured.speedup(of); },
                          [&](const Plan& of) { return measured.op_times(of); }};
    const Plan checked = without_slowdown(plan, check.choices, timer, observer);
    if (checked.int8_count() > 0) measured.compare_with_default(checked);
    return checked;
  } catch (const ModelError& error) {
    observer.log(LogLevel::Warning, fmt::format("the speed of the int8 model could not be checked: {}", error.what()));
    return plan;
  }
}

}  // namespace lpot
