// Calibration of tensors inside If, Loop and TensorIterator.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "tests/support/control_flow.h"
#include "tests/support/files.h"
#include "tests/support/thread_transport.h"

namespace lpot {
namespace {

using ::testing::Key;
using ::testing::UnorderedElementsAre;

Model reload(const std::shared_ptr<ov::Model>& graph) {
  const TempFolder folder;
  Model model;
  model.graph = graph->clone();
  save_model(model, folder / "model.xml");
  return load_model(folder / "model.xml");
}

const std::vector<ObservationPoint> kIfPoints{{"If/then/in", 1}, {"If/then/relu", 1}, {"If/else/in", 1}};

std::vector<Sample> images_of_both_branches(std::size_t count) {
  std::vector<Tensor> images;
  for (std::size_t i = 0; i < count; ++i)
    images.push_back(images_around(i % 3 == 0 ? -0.5f : 0.5f, 1, static_cast<unsigned>(i))[0]);
  return unlabelled(images);
}

TEST(ObserveBodies, CountsOnlyTheSamplesThatTakeTheBranch) {
  const std::vector<Sample> samples = images_of_both_branches(12);
  const Statistics found =
      observe(reload(if_graph()), kIfPoints, loader_of(samples), {.sampling_sizes = {12}}).snapshots[0];
  Statistics expected;
  for (std::size_t i = 0; i < samples.size(); ++i)
    expected[i % 3 == 0 ? "If/else/in" : "If/then/in"].add(samples[i].inputs[0].reshaped({1, 4, 6, 6}), 1);
  EXPECT_EQ(found.at("If/then/in"), expected.at("If/then/in"));
  EXPECT_EQ(found.at("If/else/in"), expected.at("If/else/in"));
  EXPECT_EQ(found.at("If/then/relu").channels().size(), 8u);
  EXPECT_EQ(found.at("If/then/relu").channels()[0].count, 8u * 36);
  EXPECT_EQ(found.at("If/then/relu").min(), 0);
}

TEST(ObserveBodies, ABranchThatNoSampleTakesHasNoStatistics) {
  const Statistics found =
      observe(reload(if_graph()), kIfPoints, loader_of(unlabelled(images_around(0.5f, 5))), {}).snapshots[0];
  EXPECT_THAT(found, UnorderedElementsAre(Key("If/then/in"), Key("If/then/relu")));
}

TEST(ObserveBodies, ANestedIfCountsItsOwnBranches) {
  std::vector<Tensor> images;
  for (const float mean : {-0.5f, 0.5f, 0.5f, 1.5f, 1.5f, 1.5f}) images.push_back(images_around(mean, 1)[0]);
  const std::vector<ObservationPoint> points{
      {"outer/else/in", 1}, {"outer/then/inner/else/in", 1}, {"outer/then/inner/then/relu", 1}};
  const Statistics found = observe(reload(nested_if_graph()), points, loader_of(unlabelled(images)), {}).snapshots[0];
  EXPECT_EQ(found.at("outer/else/in").channels()[0].count, 1u * 36);
  EXPECT_EQ(found.at("outer/then/inner/else/in").channels()[0].count, 2u * 36);
  EXPECT_EQ(found.at("outer/then/inner/then/relu").channels()[0].count, 3u * 36);
}

TEST(ObserveBodies, ALoopCountsAllSteps) {
  const std::vector<Tensor> inputs{random_tensor({16}, 1), random_tensor({16}, 2)};
  const Statistics found =
      observe(reload(loop_graph(3)), {{"Loop/body/in", -1}, {"Loop/body/state", -1}}, loader_of(unlabelled(inputs)), {})
          .snapshots[0];
  ASSERT_EQ(found.at("Loop/body/in").channels().size(), 16u);
  EXPECT_EQ(found.at("Loop/body/in").channels()[0].count, 2u * 3);
  // The first step reads the input of the model.
  float largest = 0;
  for (const Tensor& input : inputs) largest = std::max(largest, input.data<float>()[0]);
  EXPECT_GE(found.at("Loop/body/in").channels()[0].max, largest);
  EXPECT_LE(found.at("Loop/body/state").max(), 1);
}

TEST(ObserveBodies, AnIteratorKeepsTheChannelsOfItsTensors) {
  const std::vector<Tensor> inputs{random_tensor({5, 8}, 1), random_tensor({5, 8}, 2)};
  TensorStatistics expected;
  for (const Tensor& input : inputs) expected.add(input.reshaped({1, 5, 8}), 2);
  for (const int axis : {-1, 2}) {
    const Statistics found =
        observe(reload(iterator_graph()), {{"Iterator/body/step", axis}}, loader_of(unlabelled(inputs)), {})
            .snapshots[0];
    EXPECT_EQ(found.at("Iterator/body/step"), expected);
  }
}

TEST(ObserveBodies, WorkersCollectTheSameStatistics) {
  const DataLoader loader = loader_of(images_of_both_branches(30));
  const Model model = reload(if_graph());
  const auto bytes = [](const Calibration& calibration) {
    std::string all;
    for (const Statistics& snapshot : calibration.snapshots) all += to_bytes(snapshot);
    return all;
  };
  WorkerThreads workers(3, [&](int rank) {
    return [&loader, &model, rank](const std::string& order) {
      return observe_task(nlohmann::json::from_cbor(order), rank, model, loader);
    };
  });
  const ObserveOptions shared{.sampling_sizes = {1, 30}, .executor = make_executor(&workers.coordinator())};
  EXPECT_EQ(bytes(observe(model, kIfPoints, loader, shared)),
            bytes(observe(model, kIfPoints, loader, {.sampling_sizes = {1, 30}})));
}

}  // namespace
}  // namespace lpot
