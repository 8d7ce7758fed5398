#include "lpot/tune/speed_meter.h"

#include "lpot/quantize/quantize.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::SizeIs;

// Enough ratios for a confidence interval.
TEST(SpeedMeter, ComparesSeveralModelsWithFp32) {
  const auto x = parameter({1, 64}, "x");
  const Model fp32 = as_model({product(x, 64, 64, "first", 1)}, {x});
  Model other = fp32;
  other.precision = InferencePrecision::Bf16;
  SpeedMeter meter(fp32, {random_tensor({1, 64}, 2)}, {.seconds = 0.02});
  const std::vector<TimeRatio> ratios = meter.compare({fp32, other});
  EXPECT_THAT(ratios, SizeIs(2));
  EXPECT_THAT(ratios, Each(AllOf(Field(&TimeRatio::blocks, Ge(6u)), Field(&TimeRatio::median, Gt(0)))));
}

}  // namespace
}  // namespace lpot
