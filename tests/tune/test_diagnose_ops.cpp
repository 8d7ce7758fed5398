#include "lpot/tune/diagnose_ops.h"

#include <gmock/gmock.h>

#include "lpot/tune/setup.h"

namespace lpot {
namespace {

// One network for the whole suite: it is only looked at.
class DiagnoseTest : public testing::Test {
 protected:
  static const QuantizationTask& task() {
    static const QuantizationTask made = [] {
      const Config config = load_config_text(
          "model: {name: net}\nevaluation: {accuracy: {metric: {topk: 1}, dataloader: {dataset: {dummy: {shape: [4, 1, "
          "28, 28]}}}}}\n",
          "conf.yaml", component_tables());
      return prepare_task(config, LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx", {}, {});
    }();
    return made;
  }

  static std::vector<OpDiagnosis> diagnose(const Statistics& statistics, const KernelVariantChoice& variants) {
    return diagnose_ops(
        task(), {.samples = 4, .statistics = statistics, .noise = {}, .saturating_ops = {}, .variants = variants});
  }

  // The first op reads these channels, each of two values.
  static OpDiagnosis first_with(const std::vector<std::pair<float, float>>& channels) {
    std::vector<float> values;
    for (const auto& [low, high] : channels) values.insert(values.end(), {low, high});
    Statistics statistics;
    statistics[task().ops[0].activation].add(Tensor::from<float>({1, channels.size(), 2}, values), 1);
    return diagnose(statistics, {})[0];
  }
};

TEST_F(DiagnoseTest, CountsChannelsThatNeverChangeAndThoseFarWiderThanMost) {
  const OpDiagnosis found = first_with({{0, 1}, {0, 0}, {-1, 1}, {0, 40}, {3, 3}, {0, 1}});
  EXPECT_EQ(found.channels.count, 6u);
  EXPECT_EQ(found.channels.dead, 2u);
  EXPECT_EQ(found.channels.outliers, 1u);
  EXPECT_DOUBLE_EQ(found.channels.widest, 40);
}

TEST_F(DiagnoseTest, SaysNothingAboutChannelsThatAreTooFewToCompare) {
  const OpDiagnosis found = first_with({{0, 0}, {0, 100}});
  EXPECT_EQ(found.channels.dead, 0u);
  EXPECT_EQ(found.channels.outliers, 0u);
}

TEST_F(DiagnoseTest, HasTheTimeOfTheKernelVariantThatWasChosen) {
  const std::string name = task().ops[0].name;
  KernelVariantChoice variants;
  variants.times[name] = {3, 2, 1};
  EXPECT_EQ(diagnose({}, variants)[0].int8_ms, 2);
  variants.variants[name] = KernelVariant::Convolution;
  EXPECT_EQ(diagnose({}, variants)[0].int8_ms, 1);
  EXPECT_EQ(diagnose({}, {})[0].int8_ms, std::nullopt);
}

}  // namespace
}  // namespace lpot
