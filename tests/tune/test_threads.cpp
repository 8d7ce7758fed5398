// The same seed gives the same statistics, scores and trials at any number of threads, to the last bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "lpot/calibrate/observe.h"
#include "lpot/model/load.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

constexpr const char* kQuickstartModel = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";

class ThreadsTest : public testing::TestWithParam<std::string> {
 protected:
  // A goal that nothing reaches, so that the strategy tries as many plans as it may.
  Config config(int threads) const {
    return load_config_text(
        "model: {name: net}\nquantization: {calibration: {sampling_size: 16}, recipes: {forms: plain}}\nevaluation:\n"
        "  accuracy:\n    dataloader:\n      batch_size: 4\n"
        "      dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}\n"
        "      transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}\n"
        "    iteration: 16\n    metric: {MSE: {compare_label: false}}\n    configs: {intra_num_of_threads: " +
            std::to_string(threads) +
            "}\ntuning:\n  accuracy_criterion: {absolute: 0}\n  exit_policy: {max_trials: 4}\n  random_seed: 7\n"
            "  strategy: {name: " +
            GetParam() + "}\n  workspace: {path: " + (folder_ / std::to_string(threads)).string() + "}\n",
        "conf.yaml", component_tables());
  }

  TempFolder folder_;
};

// Everything of a trial except the times.
std::vector<std::string> describe(const TuneResult& result) {
  std::vector<std::string> lines;
  const auto to_text = [&](const Measurement& measured) {
    std::string line = std::to_string(measured.samples) + (measured.complete ? " of all" : " until it was certain");
    for (const auto& [name, value] : measured.metrics) {
      std::array<char, 64> digits{};
      std::snprintf(digits.data(), digits.size(), " %s %a", name.c_str(), value);
      line += digits.data();
    }
    return line;
  };
  lines.push_back(to_text(result.baseline));
  for (const Trial& trial : result.trials)
    lines.push_back(to_json(trial.plan) + (trial.result ? to_text(*trial.result) : trial.error));
  return lines;
}

TEST_P(ThreadsTest, DoNotChangeTrialsOrScores) {
  const std::vector<std::string> one = describe(tune(config(1), {.model = kQuickstartModel, .output = {}}));
  EXPECT_GE(one.size(), 4u);  // auto has nothing left to try after three
  EXPECT_EQ(describe(tune(config(2), {.model = kQuickstartModel, .output = {}})), one);
  EXPECT_EQ(describe(tune(config(4), {.model = kQuickstartModel, .output = {}})), one);
}

INSTANTIATE_TEST_SUITE_P(Strategies, ThreadsTest, testing::Values("basic", "auto", "random"),
                         [](const auto& tested) { return tested.param; });

TEST(Threads, DoNotChangeStatistics) {
  const Model model = load_model(kQuickstartModel);
  const auto dataset = std::shared_ptr<const Dataset>(
      make_dataset(parse_component("FashionMNIST: {root: /usr/share/datasets/fashion-mnist}", datasets())));
  const DataLoader loader(dataset, {make_transform(parse_component("ToTensor: {}", transforms()))}, {.batch_size = 4});
  const auto bytes = [&](int threads) {
    const Calibration calibration =
        observe(model, observation_points(model), loader, {.sampling_sizes = {40, 64}, .threads = threads});
    std::string all;
    for (const Statistics& snapshot : calibration.snapshots) all += to_bytes(snapshot);
    return all;
  };
  const std::string one = bytes(1);
  EXPECT_GT(one.size(), 1000u);
  EXPECT_TRUE(bytes(2) == one);
  EXPECT_TRUE(bytes(4) == one);
}

}  // namespace
}  // namespace lpot
