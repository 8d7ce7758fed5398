// Images per second through reading, JPEG decoding, Resize, CenterCrop, ToTensor and Normalize; image_decoding.py
// compares it with Pillow.
//
//   LPOT_BENCH_IMAGES=FOLDER build/bin/bench_images      an ImageFolder
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "lpot/data/loader.h"

namespace {

using namespace lpot;

std::vector<Transform> preprocessing() {
  using Numbers = std::vector<double>;
  using Integers = std::vector<std::int64_t>;
  const Parameters resize({{"size", Integers{256}}, {"interpolation", std::string("bilinear")}});
  const Parameters normalize({{"mean", Numbers{0.485, 0.456, 0.406}}, {"std", Numbers{0.229, 0.224, 0.225}}});
  return {make_transform({"Resize", resize, {}}),
          make_transform({"CenterCrop", Parameters({{"size", Integers{224}}}), {}}),
          make_transform({"ToTensor", {}, {}}), make_transform({"Normalize", normalize, {}})};
}

// range(0): how many of the transforms are applied; 0 is decoding alone. One thread.
void preparing_images(benchmark::State& state) {
  const char* folder = std::getenv("LPOT_BENCH_IMAGES");
  if (!folder) return state.SkipWithError("set LPOT_BENCH_IMAGES to a folder with one folder of JPEG files per class");
  const std::shared_ptr<Dataset> dataset =
      make_dataset({"ImageFolder", Parameters({{"root", std::string(folder)}}), {}});
  std::vector<Transform> transforms = preprocessing();
  transforms.resize(static_cast<std::size_t>(state.range(0)));
  const DataLoader loader(dataset, transforms);
  std::size_t next = 0;
  for (auto step : state) benchmark::DoNotOptimize(loader.sample(next++ % loader.size()));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(preparing_images)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

}  // namespace
