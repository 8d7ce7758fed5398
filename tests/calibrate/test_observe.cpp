#include "lpot/calibrate/observe.h"

#include <cmath>

#include "lpot/core/error.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/streaming.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// image -> relu -> rows of 3 values (the first dimension is no longer the batch).
Model relu_rows() {
  const auto x = parameter({-1, 2, 3}, "image");
  const auto relu = named(std::make_shared<op::Relu>(x), "relu");
  const auto shape = op::Constant::create(ov::element::i64, {2}, {-1, 3});
  const auto rows = named(std::make_shared<op::Reshape>(relu, shape, false), "rows");
  return as_model({product(rows, 3, 2, "fc")}, {x});
}

// Eighths, so that sums are exact in any order.
std::vector<Sample> samples(std::size_t count) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor tensor = random_tensor({2, 3}, static_cast<unsigned>(i), -8, 8);
    for (std::size_t k = 0; k < 6; ++k) tensor.data<float>()[k] = std::round(tensor.data<float>()[k] * 8) / 8;
    inputs.push_back(tensor);
  }
  return unlabelled(inputs);
}

// The expected statistics of the model's tensors after the first `count` samples.
Statistics reference(std::size_t count) {
  Statistics statistics;
  for (const Sample& sample : samples(count)) {
    statistics["image"].add(sample.inputs[0].reshaped({1, 2, 3}), 1);
    Tensor relu(ElementType::F32, {1, 2, 3});
    for (std::size_t i = 0; i < 6; ++i) relu.data<float>()[i] = std::max(0.0f, sample.inputs[0].data<float>()[i]);
    statistics["relu"].add(relu, 1);
    statistics["rows"].add(relu.reshaped({2, 3}), -1);
  }
  return statistics;
}

const std::vector<ObservationPoint> kPoints{{"image", 1}, {"relu", 1}, {"rows", -1}};

class Observe : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Observe, CollectsTheSameStatisticsForEveryBatchSize) {
  const auto found =
      observe(relu_rows(), kPoints, loader_of(samples(10), GetParam()), {.sampling_sizes = {10}, .threads = 2});
  ASSERT_EQ(found.snapshots.size(), 1u);
  EXPECT_EQ(found.samples, 10u);
  EXPECT_EQ(found.snapshots[0], reference(10));
}

TEST_P(Observe, ReturnsASnapshotForEverySamplingSize) {
  const auto found = observe(relu_rows(), kPoints, loader_of(samples(10), GetParam()), {.sampling_sizes = {9, 4, 5}});
  ASSERT_EQ(found.snapshots.size(), 3u);
  EXPECT_EQ(found.snapshots[0], reference(4));
  EXPECT_EQ(found.snapshots[1], reference(5));
  EXPECT_EQ(found.snapshots[2], reference(9));
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, Observe, ::testing::Values(1, 3, 7));

TEST(Observe, ReadsAllSamplesIfMoreAreRequested) {
  const auto found = observe(relu_rows(), kPoints, loader_of(samples(6), 4), {.sampling_sizes = {100, 500}});
  EXPECT_EQ(found.samples, 6u);
  ASSERT_EQ(found.snapshots.size(), 2u);
  EXPECT_EQ(found.snapshots[0], reference(6));
  EXPECT_EQ(found.snapshots[1], reference(6));
}

TEST(Observe, NamesTheTensorAndTheSampleOfAValueThatIsNotFinite) {
  const auto x = parameter({-1, 2, 3}, "image");
  const auto root = named(std::make_shared<op::Log>(x), "logarithm");
  const Model model = as_model({product(root, 3, 2, "fc")}, {x});
  std::vector<Sample> data =
      unlabelled({random_tensor({2, 3}, 1, 1, 2), random_tensor({2, 3}, 2, 1, 2), random_tensor({2, 3}, 3, -2, -1)});
  EXPECT_THAT(message_of<DataError>([&] {
                observe(model, {{"logarithm", 1}}, loader_of(data), {});
              }),
              AllOf(HasSubstr("logarithm"), HasSubstr("sample 2,"), HasSubstr("NaN or infinite")));
}

TEST(Observe, RejectsEmptyData) {
  EXPECT_THAT(message_of<DataError>([] { observe(relu_rows(), kPoints, loader_of({}), {}); }), HasSubstr("empty"));
}

TEST(Observe, NamesAnUnknownTensor) {
  EXPECT_THAT(message_of<ModelError>([] {
                observe(relu_rows(), {{"conv7", 1}}, loader_of(samples(1)), {});
              }),
              HasSubstr("tensor 'conv7': not found"));
}

TEST(Observe, StopsOnRequest) {
  Observer observer;
  int asked = 0;
  observer.should_stop = [&] { return ++asked > 2; };
  EXPECT_THROW(observe(relu_rows(), kPoints, loader_of(samples(10)), {.sampling_sizes = {10}}, observer), Interrupted);
}

TEST(Observe, ReportsProgressUpToTheLastSample) {
  Observer observer;
  std::vector<std::size_t> done;
  observer.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.total, 7u);
    done.push_back(progress.done);
  };
  observe(relu_rows(), kPoints, loader_of(samples(9), 3), {.sampling_sizes = {7}}, observer);
  EXPECT_THAT(done, ::testing::ElementsAre(3, 6, 7));
}

// The expected statistics after the first `count` steps.
Statistics streamed_reference(const DataLoader& loader, std::size_t count) {
  Statistics statistics;
  const std::vector<StreamedStep> steps = run_by_hand(streaming_model(), loader);
  for (std::size_t i = 0; i < count; ++i) {
    statistics["x"].add(loader.sample(i).inputs[0].reshaped({1, 4}), 1);
    statistics["h"].add(steps[i].state, 1);
    statistics["sum"].add(steps[i].outputs[1], 1);
  }
  return statistics;
}

TEST(Observe, ObservesEveryStepOfASequenceWithItsState) {
  const std::vector<ObservationPoint> points{{"x", 1}, {"h", 1}, {"sum", 1}};
  for (const std::vector<std::size_t>& lengths : {std::vector<std::size_t>{}, std::vector<std::size_t>{7, 30, 3}}) {
    const DataLoader loader = streaming_loader(40, lengths);
    for (const int threads : {1, 3}) {
      const auto found = observe(streaming_model(), points, loader, {.sampling_sizes = {25, 40}, .threads = threads});
      ASSERT_EQ(found.snapshots.size(), 2u);
      EXPECT_EQ(found.snapshots[0], streamed_reference(loader, 25));
      EXPECT_EQ(found.snapshots[1], streamed_reference(loader, 40));
    }
  }
}

TEST(Observe, ReadsModelsWithVariables) {
  const std::vector<Tensor> inputs{Tensor::from<float>({3}, {1, 2, 3}), Tensor::from<float>({3}, {4, -5, 6})};
  const Statistics statistics =
      observe(running_sum(), {{"sum", 1}}, loader_of(unlabelled(inputs)), {}).snapshots.back();
  EXPECT_EQ(statistics.at("sum").max(), 6) << "each sample begins with the initial values";
  EXPECT_EQ(statistics.at("sum").min(), -5);
}

}  // namespace
}  // namespace lpot
