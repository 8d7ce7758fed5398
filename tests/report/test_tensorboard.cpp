// tuning.tensorboard: the written event files are read with ProtoReader, in the same way as TensorBoard reads them.
#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "lpot/data/tfrecord.h"
#include "lpot/proto/proto_reader.h"
#include "lpot/strategies/kinds.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::Contains;
using testing::Key;

constexpr const char* kQuickstartModel = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";

double to_double(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

struct Seen {
  double low = 0, high = 0, count = 0, in_buckets = 0;
};

struct Events {
  std::uint64_t step = 0;
  std::map<std::string, float> scalars;
  std::map<std::string, Seen> histograms;
};

Seen read_histogram(ProtoReader message) {
  Seen seen;
  while (message.next()) {
    if (message.field() == 1) seen.low = to_double(message.number());
    if (message.field() == 2) seen.high = to_double(message.number());
    if (message.field() == 3) seen.count = to_double(message.number());
    if (message.field() != 7) continue;
    std::vector<double> counts(message.bytes().size() / sizeof(double));
    std::memcpy(counts.data(), message.bytes().data(), message.bytes().size());
    for (const double count : counts) seen.in_buckets += count;
  }
  return seen;
}

Events read_events(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  EXPECT_EQ(files.size(), 1u) << folder;
  EXPECT_NE(files.at(0).filename().string().find("tfevents"), std::string::npos) << "TensorBoard looks for that";
  const TFRecords records("test", files);  // compares the checksums
  EXPECT_EQ(records.size(), 2u);
  const std::vector<std::uint8_t> bytes = records.read(1);
  Events events;
  for (ProtoReader event(bytes); event.next();) {
    if (event.field() == 2) events.step = event.number();
    if (event.field() != 5) continue;
    for (ProtoReader summary = event.message(); summary.next();) {
      std::string tag;
      for (ProtoReader value = summary.message(); value.next();) {
        if (value.field() == 1) tag = value.text();
        const auto bits = static_cast<std::uint32_t>(value.number());
        if (value.field() == 2) std::memcpy(&events.scalars[tag], &bits, sizeof bits);
        if (value.field() == 5) events.histograms[tag] = read_histogram(value.message());
      }
    }
  }
  return events;
}

TEST(TensorBoard, GetsHistogramsOfTensorsInFp32AndInEveryTrial) {
  const TempFolder folder;
  const Config config = load_config_text(
      "model: {name: net}\nquantization: {calibration: {sampling_size: 8}, recipes: {forms: plain, smooth_quant: "
      "false}}\nevaluation:\n"
      "  accuracy:\n    metric: {topk: 1}\n    iteration: 2\n    dataloader:\n      batch_size: 8\n"
      "      dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}\n"
      "      transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}\n"
      "tuning: {tensorboard: true, exit_policy: {max_trials: 1}, workspace: {path: " +
          (folder / "w").string() + "}}\n",
      "conf.yaml", component_tables());
  EXPECT_TRUE(config.warnings.empty());
  const TuneResult result = tune(config, {.model = kQuickstartModel});
  ASSERT_EQ(result.trials.size(), 1u);

  const auto study = folder / "w/tensorboard" / ("study-" + std::to_string(result.study));
  const Events fp32 = read_events(study / "fp32"), int8 = read_events(study / "trial-001");
  EXPECT_EQ(fp32.step, 0u);
  EXPECT_EQ(int8.step, 1u);
  EXPECT_FLOAT_EQ(fp32.scalars.at("accuracy"), static_cast<float>(result.baseline.accuracy));
  EXPECT_FLOAT_EQ(int8.scalars.at("accuracy"), static_cast<float>(result.trials[0].result->accuracy));

  const Seen image = fp32.histograms.at("activation/image");
  EXPECT_EQ(image.count, 8 * 28 * 28) << "the calibration samples";
  EXPECT_EQ(image.in_buckets, image.count);
  EXPECT_NEAR(image.low, -0.2860 / 0.3530, 1e-4);
  EXPECT_EQ(int8.histograms.at("activation/image").in_buckets, image.count);
  for (const auto& [tag, seen] : int8.histograms) {
    ASSERT_THAT(fp32.histograms, Contains(Key(tag)));
    const Seen& of_fp32 = fp32.histograms.at(tag);
    EXPECT_EQ(seen.count, of_fp32.count) << tag;
    if (!tag.starts_with("weight/")) continue;
    EXPECT_NEAR(seen.low, of_fp32.low, 0.02 * std::abs(of_fp32.low)) << tag << ": quantized per channel";
    EXPECT_NEAR(seen.high, of_fp32.high, 0.02 * std::abs(of_fp32.high)) << tag;
  }
  EXPECT_THAT(int8.histograms, Contains(Key("weight//fc/Gemm")));
}

// Equalization changes the activations, so a plan with it needs its own statistics.
class EqualizingStrategy : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    if (history.trials.empty()) return basic_->next(space, history);
    if (history.trials.size() > 1) return std::nullopt;
    Step step{history.trials.front().plan};
    step.plan.recipes.set("cross_layer_equalization", true);
    return step;
  }

 private:
  std::unique_ptr<Strategy> basic_ = make_basic_strategy();
};

TEST(TensorBoard, GetsATrialWhoseScoreIsReused) {
  const TempFolder folder;
  const Config config = load_config_text(
      "model: {name: net}\nquantization: {calibration: {sampling_size: 8}, recipes: {forms: plain}}\nevaluation:\n"
      "  accuracy:\n    metric: {topk: 1}\n    iteration: 2\n    dataloader:\n      batch_size: 8\n"
      "      dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}\n"
      "      transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}\n"
      "tuning: {tensorboard: true, objective: modelsize, accuracy_criterion: {absolute: 1}, exit_policy: {timeout: "
      "60}, workspace: {path: " +
          (folder / "w").string() + "}}\n",
      "conf.yaml", component_tables());
  TuneOptions options{.model = kQuickstartModel};
  options.user.strategy = {"equalizing", std::make_shared<EqualizingStrategy>()};
  for (int run = 0; run < 2; ++run) {
    const TuneResult result = tune(config, options);
    ASSERT_EQ(result.trials.size(), 2u);
    EXPECT_EQ(result.best->number, 1u) << "so that the model of the second trial is not saved";
    const auto study = folder / "w/tensorboard" / ("study-" + std::to_string(result.study));
    EXPECT_THAT(read_events(study / "trial-002").histograms, Contains(Key("activation/image")));
  }
}

}  // namespace
}  // namespace lpot
