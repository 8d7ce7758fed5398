// Calibration with several processes gives the same statistics as with one, bit for bit.
#include <nlohmann/json.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/thread_transport.h"

namespace lpot {
namespace {

// Images of any size, with the channels before rows and columns.
Model resizable_convolution() {
  const auto x = parameter({-1, 3, -1, -1}, "x");
  const auto relu = std::make_shared<op::Relu>(conv3x3(x, 3, 5, "conv"));
  relu->set_friendly_name("relu");
  return as_model({relu}, {x});
}

const std::vector<ObservationPoint> kSharedPoints{{"x", 1}, {"conv", 1}, {"relu", 1}};

// Images of two sizes; every `other`-th image has the second size.
DataLoader pictures(std::size_t count, std::size_t batch_size, std::size_t other = 0) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t side = other > 0 && i % other == 1 ? 9 : 7;
    inputs.push_back(random_tensor({3, side, side}, static_cast<unsigned>(i), -3.0f, static_cast<float>(i + 1)));
  }
  return loader_of(unlabelled(inputs), batch_size);
}

std::string alone(const DataLoader& loader, std::vector<std::size_t> sizes) {
  std::string all;
  for (const Statistics& snapshot :
       observe(resizable_convolution(), kSharedPoints, loader, {std::move(sizes), 2}).snapshots)
    all += to_bytes(snapshot);
  return all;
}

class ObserveShared : public testing::TestWithParam<int> {
 protected:
  std::string shared(const DataLoader& loader, std::vector<std::size_t> sizes, const Observer& observer = {}) {
    WorkerThreads workers(GetParam(), [&](int rank) {
      return [&loader, rank](const std::string& order) {
        return observe_task(nlohmann::json::from_cbor(order), rank, resizable_convolution(), loader);
      };
    });
    std::string all;
    const ObserveOptions options{.sampling_sizes = std::move(sizes), .executor = make_executor(&workers.coordinator())};
    for (const Statistics& snapshot :
         observe(resizable_convolution(), kSharedPoints, loader, options, observer).snapshots)
      all += to_bytes(snapshot);
    return all;
  }
};

TEST_P(ObserveShared, CollectsTheSameStatisticsWithAShortLastBatch) {
  const DataLoader loader = pictures(50, 4);
  EXPECT_EQ(shared(loader, {50}), alone(loader, {50}));
}

TEST_P(ObserveShared, ReturnsTheSameSnapshots) {
  const DataLoader loader = pictures(40, 3);
  EXPECT_EQ(shared(loader, {7, 20, 39}), alone(loader, {7, 20, 39}));
}

TEST_P(ObserveShared, CollectsTheSameStatisticsForImagesOfDifferentSizes) {
  const DataLoader loader = pictures(40, 1, 5);
  EXPECT_EQ(shared(loader, {40}), alone(loader, {40}));
}

TEST_P(ObserveShared, ReportsANonFiniteSampleLikeOneProcess) {
  std::vector<Tensor> inputs(30, random_tensor({3, 7, 7}, 1));
  inputs[17] = random_tensor({3, 7, 7}, 1);
  inputs[17].data<float>()[5] = std::numeric_limits<float>::infinity();
  const DataLoader loader = loader_of(unlabelled(inputs), 2);
  const std::string message = message_of<DataError>([&] { shared(loader, {30}); });
  EXPECT_EQ(message, message_of<DataError>([&] { alone(loader, {30}); }));
  EXPECT_THAT(message, testing::HasSubstr("sample 17, tensor 'x'"));
}

// relu(x) is observed although it is infinite for sample 17; conv is not infinite, because it reads clamped values.
TEST_P(ObserveShared, GivesOptionalPointsWithInfiniteValuesNoStatistics) {
  const auto infinite_relu = [] {
    const auto x = parameter({-1, 3, -1, -1}, "x");
    const auto relu = named(std::make_shared<op::Relu>(x), "relu");
    return as_model({conv3x3(std::make_shared<op::Clamp>(relu, 0, 6), 3, 5, "conv")}, {x});
  };
  std::vector<Tensor> inputs(30, random_tensor({3, 7, 7}, 1));
  inputs[17] = random_tensor({3, 7, 7}, 1);
  inputs[17].data<float>()[5] = std::numeric_limits<float>::infinity();
  const DataLoader loader = loader_of(unlabelled(inputs), 2);
  const std::vector<ObservationPoint> points{{"conv", 1}, {"relu", 1, true}};
  WorkerThreads workers(GetParam(), [&](int rank) {
    return [&, rank](const std::string& order) {
      return observe_task(nlohmann::json::from_cbor(order), rank, infinite_relu(), loader);
    };
  });
  const auto found = observe(infinite_relu(), points, loader,
                             {.sampling_sizes = {10, 30}, .executor = make_executor(&workers.coordinator())});
  const auto alone = observe(infinite_relu(), points, loader, {.sampling_sizes = {10, 30}});
  EXPECT_EQ(found.snapshots, alone.snapshots);
  EXPECT_TRUE(alone.snapshots.front().contains("relu"));
  EXPECT_FALSE(alone.snapshots.back().contains("relu"));
  EXPECT_TRUE(alone.snapshots.back().contains("conv"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ObserveShared, testing::Values(2, 4));

}  // namespace
}  // namespace lpot
