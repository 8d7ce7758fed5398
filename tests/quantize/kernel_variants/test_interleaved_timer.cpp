// InterleavedTimer assigns times to the right model, whichever models stay compiled.
#include "lpot/quantize/kernel_variants/interleaved_timer.h"

#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::Gt;
using ::testing::SizeIs;

// A chain of convolutions: `count` times the work.
Model convolutions(std::size_t count) {
  const auto x = parameter({1, 32, 48, 48}, "x");
  std::shared_ptr<ov::Node> last = x;
  for (std::size_t i = 0; i < count; ++i) last = conv3x3(last, 32, 32, "conv" + std::to_string(i), 1);
  return as_model({last}, {x});
}

struct InterleavedTimerTest : ::testing::Test {
  const std::vector<Tensor> inputs{random_tensor({1, 32, 48, 48}, 1)};
  const std::map<std::string, std::string> owners{{"conv0", "conv0"}, {"conv1", "conv1"}};
  const Observer observer;
  CompiledModels compiled{inputs, 1};
  InterleavedTimer timer{compiled, inputs, owners, observer};
};

TEST_F(InterleavedTimerTest, ReturnsTheTimeOfEachModel) {
  const Model one = convolutions(1), three = convolutions(3), thirty = convolutions(30);
  for (const auto& models : std::vector<std::vector<const Model*>>{
           {&one, &thirty}, {&thirty, &one}, {&one, &thirty}, {&thirty, &three, &one}, {&one, &three, &thirty}}) {
    const Comparison compared = timer.compare_whole(models, 0.01);
    ASSERT_THAT(compared.blocks, SizeIs(models.size()));
    const auto slowest = std::find(models.begin(), models.end(), &thirty) - models.begin();
    for (std::size_t i = 0; i < models.size(); ++i) {
      const double ratio = compared.ratio(i, static_cast<std::size_t>(slowest)).median;
      EXPECT_EQ(ratio > 1, models[i] != &thirty) << i;
    }
  }
}

TEST_F(InterleavedTimerTest, BuildsTheSecondModelWhenItIsNeeded) {
  const Model one = convolutions(1);
  std::optional<Model> two;
  const auto times = timer.profile(
      one, [&]() -> const Model& { return two.emplace(convolutions(2)); }, 0.01);
  ASSERT_THAT(times, SizeIs(2));
  EXPECT_FALSE(times[0].contains("conv1"));
  EXPECT_THAT(times[1].at("conv1"), Gt(0.0));
  for (const Times& of_model : times)
    for (const auto& [op, time] : of_model) EXPECT_THAT(time, Gt(0.0)) << op;
  EXPECT_TRUE(times[0].contains(kAllKernels));
}

}  // namespace
}  // namespace lpot
