#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/model_options.h"
#include "cli/verbs.h"
#include "lpot/core/cpu.h"
#include "lpot/model/load.h"
#include "lpot/report/table.h"
#include "lpot/runtime/latency.h"

namespace lpot::cli {
namespace {

struct BenchVerb {
  std::vector<std::string> models;
  std::size_t batch_size = 1;
  int threads = 0;
  double seconds = 5;
  int warmup = 5;
  std::vector<std::string> shapes;
  ModelOptions options;
};

std::vector<Shape> shapes_of(const std::vector<Tensor>& inputs) {
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  return shapes;
}

int run_bench(const BenchVerb& verb, const Context& context) {
  const InputShapes shapes = parse_shapes(verb.shapes, "--shape", false);
  const LoadOptions options = verb.options.load_options();
  std::vector<Executable> executables;
  std::vector<std::vector<Tensor>> inputs;
  for (const std::string& path : verb.models) {
    const Model model = load_model(path, options);
    inputs.push_back(made_up_inputs(model, verb.batch_size, shapes));
    executables.emplace_back(model, CompileOptions{.threads = verb.threads, .input_shapes = shapes_of(inputs.back())});
  }
  std::vector<Executable*> turns;
  for (Executable& executable : executables) turns.push_back(&executable);
  const auto latencies = measure_latency(turns, inputs, {.warmup = verb.warmup, .seconds = verb.seconds});

  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const Latency& latency = latencies[i];
    const double throughput = static_cast<double>(verb.batch_size) * 1000.0 / latency.median_ms;
    const double speedup = latencies[0].median_ms / latency.median_ms;
    models.push_back({{"path", verb.models[i]},
                      {"latency_ms", {{"median", latency.median_ms}, {"p90", latency.p90_ms}, {"p99", latency.p99_ms}}},
                      {"throughput", throughput},
                      {"speedup", speedup},
                      {"runs", latency.runs}});
    rows.push_back({verb.models[i], fmt::format("{:.3f}", latency.median_ms), fmt::format("{:.3f}", latency.p90_ms),
                    fmt::format("{:.3f}", latency.p99_ms), fmt::format("{:.0f}", throughput),
                    fmt::format("{:.2f} x", speedup)});
  }
  const Cpu cpu = detect_cpu();
  const int threads = verb.threads > 0 ? verb.threads : cpu.cores;
  if (context.common.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"models", models},
                                              {"batch_size", verb.batch_size},
                                              {"threads", threads},
                                              {"cpu", cpu.name},
                                              {"cpu_class", cpu.cpu_class()}}
                           .dump(2));
    return kSuccess;
  }
  fmt::print("batch {}, {} threads, {} ({}); models take turns, times in ms\n\n", verb.batch_size, threads, cpu.name,
             cpu.cpu_class());
  fmt::print("{}", format_table({"model", "median", "p90", "p99", "samples/s", "speed-up"}, rows));
  return kSuccess;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<BenchVerb>();
  CLI::App* command =
      add_verb(app, context, "bench", "Compare the speed of models, the first being the yardstick",
               "  lpot bench resnet20.onnx int8/model.xml\n"
               "  lpot bench resnet20.onnx int8/model.xml --batch-size 32 --threads 1\n"
               "  lpot bench bert.onnx int8/model.xml --shape input_ids=1,128 --shape attention_mask=1,128");
  command->add_option("model", verb->models, fmt::format("Models: {}", kModelFiles))->required();
  command->add_option("-b,--batch-size", verb->batch_size, "Samples at a time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("-t,--threads", verb->threads, "Threads (default: all cores)")->check(CLI::PositiveNumber);
  command->add_option("--seconds", verb->seconds, "How long to measure, all models together")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--warmup", verb->warmup, "Runs of each model that are not counted")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--shape", verb->shapes, "Shape of an input, where the model leaves it open: NAME=1,128")
      ->allow_extra_args(false)
      ->type_name("NAME=SHAPE");
  verb->options.add_to(*command);
  command->callback([verb, &context] { context.run = [verb, &context] { return run_bench(*verb, context); }; });
}

}  // namespace lpot::cli
