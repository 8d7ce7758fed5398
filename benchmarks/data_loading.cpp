// Measures whether data loading (reading, decoding, tokenizing, transforming) slows down inference. It compares
//
// - the samples per second of the data loader alone with those of the evaluation of an int8 model, and
// - the time of an evaluation that uses the loader with one whose batches are all in memory before it starts.
//
// The two measurements alternate; the result is the median of the rounds.
//
//   LPOT_TEST_DATA=DIR build/bin/bench_data_loading        ResNet-20 on CIFAR-10; without it the quick start's network
//   LPOT_TEST_DATA=DIR build/bin/bench_data_loading text   MiniLM on MRPC: files to tokens to int8 inference
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "lpot/model/load.h"
#include "lpot/runtime/runner.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"

namespace {

using namespace lpot;
namespace fs = std::filesystem;

constexpr int kRounds = 9;

struct Subject {
  std::string name;
  fs::path model;
  Config config;
};

Config config_of(const std::string& data_set, const std::string& normalize) {
  return load_config_text(fmt::format("model: {{name: bench}}\nquantization: {{calibration: {{sampling_size: 300}}}}\n"
                                      "evaluation: {{accuracy: {{metric: {{topk: 1}}, dataloader: {{batch_size: 32, "
                                      "dataset: {{{}}}, transform: {{ToTensor: {{}}, Normalize: {{{}}}}}}}}}}}\n",
                                      data_set, normalize),
                          "bench", component_tables());
}

Subject text_subject() {
  const char* data = std::getenv("LPOT_TEST_DATA");
  if (!data) throw Error("bench", "text: set LPOT_TEST_DATA to the folder with the data and models");
  const std::string text = fmt::format(
      "model: {{name: bench}}\nquantization: {{calibration: {{sampling_size: 100}}}}\n"
      "evaluation: {{accuracy: {{metric: {{GLUE: mrpc}}, dataloader: {{batch_size: 8, dataset: {{GLUE: {{task: mrpc, "
      "data_dir: {0}/glue-mrpc, model_name_or_path: {0}/bert-vocab}}}}}}}}}}\n",
      data);
  return {"MiniLM on MRPC", fs::path(data) / "minilm-mrpc-onnx/minilm_mrpc.onnx",
          load_config_text(text, "bench", component_tables())};
}

Subject subject() {
  if (const char* data = std::getenv("LPOT_TEST_DATA"))
    return {"ResNet-20 on CIFAR-10", fs::path(data) / "resnet-cifar10-onnx/resnet20-cifar10.onnx",
            config_of(fmt::format("CIFAR10: {{root: {}/cifar10}}", data),
                      "mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]")};
  return {"the quick start's network on Fashion-MNIST", "examples/quickstart/fashion_cnn.onnx",
          config_of("FashionMNIST: {root: /usr/share/datasets/fashion-mnist}", "mean: [0.2860], std: [0.3530]")};
}

Model int8_of(const Subject& subject) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("lpot_bench_data_loading_{}", ::getpid());
  const QuantizeResult quantized = quantize_once(subject.config, {.model = subject.model, .output = folder});
  Model model = load_model(quantized.model);
  fs::remove_all(folder);
  return model;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Does the same as `evaluate`, with batches from any source.
void infer_and_score(Runner& runner, Metric& metric, const std::function<std::optional<Batch>()>& next) {
  std::vector<std::vector<Tensor>> labels;
  std::size_t scored = 0;
  runner.run(
      [&]() -> std::optional<std::vector<Tensor>> {
        std::optional<Batch> batch = next();
        if (!batch) return std::nullopt;
        labels.push_back(std::move(batch->labels));
        return std::move(batch->inputs);
      },
      [&](const std::vector<Tensor>& outputs) { metric.update(outputs, labels[scored++]); });
}

void run(bool text) {
  const Subject bench = text ? text_subject() : subject();
  const DataLoader loader = evaluation_loader(bench.config);
  Runner runner(int8_of(bench), loader.dataset().input_naming());
  const std::vector<NamedMetric> metrics = make_metrics(bench.config.accuracy.metrics);
  std::vector<Batch> batches_in_memory;
  for (auto batches = loader.read(); auto batch = batches.next();) batches_in_memory.push_back(std::move(*batch));

  // The score, from the loader or from memory.
  const auto read = [&] {
    const auto metric = metrics.front().metric->fresh();
    auto batches = loader.read();
    infer_and_score(runner, *metric, [&] { return batches.next(); });
    return metric->result();
  };
  const auto read_from_memory = [&] {
    const auto metric = metrics.front().metric->fresh();
    std::size_t position = 0;
    infer_and_score(runner, *metric, [&] {
      return position < batches_in_memory.size() ? std::optional(batches_in_memory[position++]) : std::nullopt;
    });
    return metric->result();
  };
  const double accuracy = read();  // compiles the model, which is not counted
  if (read_from_memory() != accuracy) throw Error("bench", "the two evaluations differ in their score");

  std::vector<double> loading, with_loader, in_memory, ratios;
  for (int round = 0; round < kRounds; ++round) {
    loading.push_back(seconds_of([&] {
      for (auto batches = loader.read(); batches.next();) continue;
    }));
    // The two evaluations take turns in running first.
    if (round % 2 == 0) with_loader.push_back(seconds_of(read));
    in_memory.push_back(seconds_of(read_from_memory));
    if (round % 2 == 1) with_loader.push_back(seconds_of(read));
    ratios.push_back(with_loader.back() / in_memory.back());
  }

  const auto samples = static_cast<double>(loader.size());
  fmt::print("{}, int8, batch {}, {} samples, medians of {} rounds\n", bench.name, loader.options().batch_size,
             loader.size(), kRounds);
  fmt::print("  loader alone, {} thread    {:9.0f} samples/s\n", loader.options().workers, samples / median(loading));
  fmt::print("  evaluation, with loader   {:9.0f} samples/s   {:.3f} s\n", samples / median(with_loader),
             median(with_loader));
  fmt::print("  evaluation, from memory   {:9.0f} samples/s   {:.3f} s\n", samples / median(in_memory),
             median(in_memory));
  fmt::print("  loader against evaluation {:9.1f} x\n", median(with_loader) / median(loading));
  fmt::print("  with loader / from memory {:9.2f}   (accuracy {:.4f} both ways)\n", median(ratios), accuracy);
}

}  // namespace

int main(int count, char** words) {
  try {
    run(count > 1 && std::string(words[1]) == "text");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_data_loading: {}\n", error.what());
    return 1;
  }
}
