#include "lpot/plan/trial.h"

#include <gtest/gtest.h>

namespace lpot {
namespace {

TEST(MeasuredFromJson, ReadsStudiesOfVersionsWithoutASpread) {
  const Measurement measured = measurement_from_json(
      R"({"accuracy": 0.9, "metrics": [], "latency_ms": 1.5, "speedup": 2.0, "size_bytes": 100,
          "footprint_bytes": 200, "samples": 10})");
  EXPECT_EQ(measured.speedup, 2.0);
  EXPECT_EQ(measured.speedup_low, 0);
  EXPECT_EQ(measured.speedup_high, 0);
  EXPECT_EQ(measured.cores, 0);
}

TEST(Probe, IsTheSameAfterJson) {
  Plan plan;
  plan.ops["conv"] = {.precision = Precision::Int8};
  const Probe distance{.plan = plan, .distance = 0.25, .seconds = 0.5, .before_trial = 2};
  EXPECT_EQ(probe_from_json(to_json(distance)), distance);
  const Probe estimate{.plan = plan,
                       .level = 2,
                       .loss = 0.01,
                       .loss_error = 0.004,
                       .loss_spread = 0.003,
                       .samples = 53,
                       .used_samples = 106};
  EXPECT_EQ(probe_from_json(to_json(estimate)), estimate);
}

}  // namespace
}  // namespace lpot
