#include "lpot/tune/speed_check_stage.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "lpot/model/save.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kBlockCount = 20;  // enough for a confidence interval

TimeRatio certain(double speedup) { return {speedup, speedup - 0.01, speedup + 0.01, kBlockCount}; }

// A machine on which ops have fixed times, in ms.
class FixedTimes {
 public:
  explicit FixedTimes(std::map<std::string, OpTimes> times) : times_(std::move(times)) {
    observer_.on_log = [this](LogLevel, std::string_view text) { messages_.emplace_back(text); };
  }

  Plan check(const PlanChoices& choices) { return without_slowdown(first_plan(choices), choices, timer(), observer_); }
  const std::vector<std::string>& messages() const { return messages_; }
  int profiles() const { return profiles_; }

 private:
  PlanTimer timer() {
    return {[this](const Plan& plan) { return certain(speedup_of(plan)); },
            [this](const Plan&) {
              ++profiles_;
              return times_;
            }};
  }

  double speedup_of(const Plan& plan) const {
    double float_ms = 0, ms = 0;
    for (const auto& [name, op] : plan.ops) {
      float_ms += times_.at(name).fp32_ms;
      ms += op.is_int8() ? times_.at(name).plain_ms : times_.at(name).fp32_ms;
    }
    return float_ms / ms;
  }

  std::map<std::string, OpTimes> times_;
  Observer observer_;
  std::vector<std::string> messages_;
  int profiles_ = 0;
};

std::vector<std::string> int8_ops(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& [name, op] : plan.ops)
    if (op.is_int8()) names.push_back(name);
  return names;
}

TEST(SpeedCheck, KeepsAPlanThatIsFaster) {
  FixedTimes machine({{"conv1", {2, 1}}, {"conv2", {1, 1.5}}, {"fc", {1, 0.5}}});
  EXPECT_THAT(int8_ops(machine.check(space_of(2))), ElementsAre("conv1", "conv2", "fc"));
  EXPECT_EQ(machine.profiles(), 0);  // nothing to repair
  EXPECT_THAT(machine.messages(), IsEmpty());
}

TEST(SpeedCheck, ReturnsOpsToFloatThatAreNotFasterInInt8) {
  FixedTimes machine({{"conv1", {1, 0.9}}, {"conv2", {1, 1.5}}, {"fc", {1, 0.9}}});
  EXPECT_THAT(int8_ops(machine.check(space_of(2))), ElementsAre("conv1", "fc"));
  EXPECT_THAT(machine.messages(), ElementsAre(HasSubstr("1 more ops stay in fp32")));
}

TEST(SpeedCheck, ReturnsTheModelWithoutInt8IfNoOpIsFaster) {
  FixedTimes machine({{"conv1", {1, 1.1}}, {"conv2", {1, 1.5}}, {"fc", {1, 1}}});
  EXPECT_THAT(int8_ops(machine.check(space_of(2))), IsEmpty());
  EXPECT_THAT(machine.messages(), ElementsAre(HasSubstr("0.83 x of the speed of the model without int8")));
}

// The sum of the ops' times is not the time of the model: conversions between int8 and float have a cost.
TEST(SpeedCheck, ReturnsTheModelWithoutInt8IfTheRepairedPlanIsSlower) {
  const PlanChoices choices = space_of(2);
  int timed = 0;
  const PlanTimer timer{[&](const Plan&) {
                          ++timed;
                          return certain(0.9);
                        },
                        [](const Plan&) {
                          return std::map<std::string, OpTimes>{{"conv1", {1, 2}}, {"conv2", {1, 0.5}}};
                        }};
  EXPECT_THAT(int8_ops(without_slowdown(first_plan(choices), choices, timer, {})), IsEmpty());
  EXPECT_EQ(timed, 3);  // the plan, the repaired plan, and the plan again
}

TEST(SpeedCheck, KeepsAPlanThatIsSlowerOnlyOnce) {
  const PlanChoices choices = space_of(1);
  int timed = 0;
  const PlanTimer timer{[&](const Plan&) { return certain(timed++ == 0 ? 0.9 : 1.05); },
                        [](const Plan&) { return std::map<std::string, OpTimes>{}; }};
  EXPECT_EQ(without_slowdown(first_plan(choices), choices, timer, {}), first_plan(choices));
}

TEST(SpeedCheck, KeepsOpsInInt8ThatTheConfigurationDemands) {
  QuantizationConfig config;
  OpRestriction only_int8;
  only_int8.weight.precisions = {Precision::Int8};
  only_int8.activation.precisions = {Precision::Int8, Precision::Uint8};
  config.op_wise = {{"conv1", only_int8}};
  FixedTimes machine({{"conv1", {1, 1.5}}, {"conv2", {1, 1.5}}, {"fc", {1, 0.9}}});
  EXPECT_THAT(int8_ops(machine.check(space_of(2, config))), ElementsAre("conv1", "fc"));
}

// No model is compiled: the sample has a shape that the model does not accept.
TEST(SpeedCheck, TimesNothingWithPlainKernelVariants) {
  TempFolder folder;
  const auto x = parameter({1, 8}, "x");
  save_model(as_model({product(x, 8, 4, "fc", 1)}, {x}), folder / "fc.xml");
  UserComponents user;
  user.calibration_data = std::make_shared<MemoryData>(std::vector<Sample>{{{random_tensor({8}, 1)}, {}}});
  std::vector<std::string> messages;
  Observer observer;
  observer.on_log = [&](LogLevel, std::string_view text) { messages.emplace_back(text); };
  Config config;
  config.quantization.sampling_sizes = {1};
  const QuantizationTask task = prepare_task(config, folder / "fc.xml", user, observer);
  const StatisticsByPlan statistics = calibrate(task, config, {}, observer);
  CandidateBuilder builder(task.model, statistics, nullptr);
  const std::vector<Tensor> unusable{random_tensor({3, 3, 3}, 1)};
  const SpeedCheck check{task, config, task.choices, unusable};
  EXPECT_THROW(check_speed(check, builder, first_plan(task.choices), observer), Error);
  messages.clear();
  config.quantization.recipes.measured_kernel_variants = false;
  EXPECT_EQ(check_speed(check, builder, first_plan(task.choices), observer), first_plan(task.choices));
  EXPECT_THAT(messages, IsEmpty());
}

}  // namespace
}  // namespace lpot
