// Models whose only kernels are inside an If, through tune and quantize_once.
#include <gmock/gmock.h>

#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "lpot/quantize/graph/quantized_ops.h"
#include "lpot/runtime/executable.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"
#include "tests/support/control_flow.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class TuneBodies : public ::testing::Test {
 protected:
  TuneBodies() {
    Model model;
    model.graph = if_graph();
    save_model(model, folder_ / "if.xml");
    observer_.on_log = [this](LogLevel level, std::string_view text) {
      if (level == LogLevel::Warning) warnings_.emplace_back(text);
    };
  }

  Config config() const {
    return load_config_text(
        "model: {name: branches}\n"
        "quantization:\n  precision: f32\n  recipes: {kernel_variants: plain}\n  calibration: {sampling_size: 12}\n"
        "evaluation:\n  accuracy:\n    metric: {MSE: {compare_label: false}}\n"
        "    dataloader: {dataset: {dummy: {shape: [1, 1]}}}\n"
        "tuning:\n  accuracy_criterion: {absolute: 1000}\n  workspace: {path: " +
            (folder_ / "w").string() + "}\n",
        "conf.yaml", component_tables());
  }

  TuneOptions options(const std::vector<Tensor>& calibration) const {
    std::vector<Sample> evaluation;
    for (const float mean : {-0.5f, 0.5f})
      for (const Tensor& image : images_around(mean, 4, 50)) evaluation.push_back({{image}, Tensor::scalar(0)});
    return {.model = folder_ / "if.xml",
            .output = folder_ / "int8",
            .user = {.calibration_data = std::make_shared<MemoryData>(unlabelled(calibration)),
                     .evaluation_data = std::make_shared<MemoryData>(evaluation)}};
  }

  static std::vector<Tensor> both_branches() {
    std::vector<Tensor> images = images_around(-0.5f, 6);
    for (const Tensor& image : images_around(0.5f, 6)) images.push_back(image);
    return images;
  }

  TempFolder folder_;
  Observer observer_;
  std::vector<std::string> warnings_;
};

TEST_F(TuneBodies, TunesAModelWhoseKernelsAreInBranches) {
  const TuneResult result = tune(config(), options(both_branches()), observer_);
  ASSERT_TRUE(result.best);
  const Trial& best = *result.best;
  EXPECT_EQ(best.plan.int8_count(), 3u);
  EXPECT_THAT(best.plan.fallback(), IsEmpty());
  EXPECT_THAT(warnings_, Not(Contains(HasSubstr("never reach"))));
  EXPECT_EQ(quantized_ops(load_model(folder_ / "int8" / "model.xml")).ops.size(), 3u);
  EXPECT_THAT(read_bytes(folder_ / "int8" / "deploy.yaml"), HasSubstr("If/then/first"));
}

TEST_F(TuneBodies, LeavesABranchThatNoSampleTakesInFp32) {
  const TuneResult result = tune(config(), options(images_around(0.5f, 12)), observer_);
  ASSERT_TRUE(result.best);
  EXPECT_THAT(result.best->plan.fallback(), ElementsAre("If/else/only"));
  EXPECT_THAT(warnings_, Contains(AllOf(HasSubstr("stay in fp32"), HasSubstr("If/else/only"))));
}

TEST_F(TuneBodies, OpWiseKeysNameOpsInBodies) {
  Config with_key = load_config_text(
      "model: {name: branches}\nquantization:\n  precision: f32\n  recipes: {kernel_variants: plain}\n"
      "  calibration: {sampling_size: 12}\n  op_wise: {If/then/second: {activation: {dtype: [fp32]}}}\n",
      "conf.yaml", component_tables());
  const QuantizeResult once = quantize_once(with_key, options(both_branches()), observer_);
  EXPECT_THAT(once.plan.fallback(), ElementsAre("If/then/second"));
  EXPECT_EQ(once.int8_ops, 2u);
}

}  // namespace
}  // namespace lpot
