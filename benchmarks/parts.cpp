// Throughput of single parts: histogram, statistics, range search, data loading.
#include <benchmark/benchmark.h>

#include <random>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/data/loader.h"
#include "lpot/quantize/graph/weights.h"

namespace {

using namespace lpot;

Tensor gaussian(Shape shape) {
  Tensor tensor(ElementType::F32, std::move(shape));
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = normal(random);
  return tensor;
}

// range(0): the channel axis; 1 is a convolution's input, -1 a matrix product's.
void statistics_of_a_batch(benchmark::State& state) {
  const Tensor tensor = gaussian({10, 64, 28, 28});
  TensorStatistics statistics;
  for (auto step : state) statistics.add(tensor, static_cast<int>(state.range(0)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tensor.size()));
}
BENCHMARK(statistics_of_a_batch)->Arg(1)->Arg(-1);

void range_of_a_tensor(benchmark::State& state) {
  TensorStatistics statistics;
  statistics.add(gaussian({10, 64, 28, 28}), 1);
  for (auto step : state) benchmark::DoNotOptimize(find_range(statistics, static_cast<Algorithm>(state.range(0))));
}
BENCHMARK(range_of_a_tensor)->Arg(static_cast<int>(Algorithm::MinMax))->Arg(static_cast<int>(Algorithm::Kl));

void weights_of_a_layer(benchmark::State& state) {
  const Tensor tensor = gaussian({384, 1536});
  const std::vector<float> weights(tensor.data<float>(), tensor.data<float>() + tensor.size());
  for (auto step : state)
    benchmark::DoNotOptimize(quantize_weights(weights, {384, 1536}, {1}, {.granularity = Granularity::PerChannel}));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(weights.size()));
}
BENCHMARK(weights_of_a_layer);

// range(0): worker threads. Images of 28 x 28 with the quick start's transforms.
void loading_images(benchmark::State& state) {
  const std::shared_ptr<Dataset> dataset = make_dataset(
      {"FashionMNIST", Parameters({{"root", std::string("/usr/share/datasets/fashion-mnist")}, {"train", false}}), {}});
  const std::vector<Transform> transforms{
      make_transform({"ToTensor", {}, {}}),
      make_transform(
          {"Normalize", Parameters({{"mean", std::vector<double>{0.286}}, {"std", std::vector<double>{0.353}}}), {}})};
  const DataLoader loader(dataset, transforms, {.batch_size = 32, .workers = static_cast<int>(state.range(0))});
  for (auto step : state)
    for (auto batches = loader.read(); auto batch = batches.next();) benchmark::DoNotOptimize(batch->inputs);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(loader.size()));
}
BENCHMARK(loading_images)->Arg(0)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
