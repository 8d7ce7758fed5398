#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/bench_models.h"
#include "cli/instances.h"
#include "cli/terminal.h"
#include "lpot/core/affinity.h"
#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/model/formats.h"
#include "lpot/report/table.h"

namespace lpot::cli {
namespace {

// Latency and throughput of one model, in one process or of all instances together.
struct Figures {
  Latency latency;
  double throughput = 0;  // samples per second
};

Figures figures_of(const std::vector<double>& times_ms, std::size_t batch_size) {
  const double total = std::accumulate(times_ms.begin(), times_ms.end(), 0.0);
  return {summarize(times_ms), static_cast<double>(batch_size * times_ms.size()) * 1000.0 / total};
}

OrderedJson to_json(const Figures& figures) {
  const Latency& latency = figures.latency;
  return {{"latency_ms", {{"median", latency.median_ms}, {"p90", latency.p90_ms}, {"p99", latency.p99_ms}}},
          {"throughput", figures.throughput},
          {"runs", latency.runs}};
}

Row row_of(const std::string& name, const Figures& figures, const std::string& speedup) {
  const Latency& latency = figures.latency;
  return {name,
          fmt::format("{:.3f}", latency.median_ms),
          fmt::format("{:.3f}", latency.p90_ms),
          fmt::format("{:.3f}", latency.p99_ms),
          fmt::format("{:.0f}", figures.throughput),
          speedup};
}

void print_result(const Context& context, const OrderedJson& head, const OrderedJson& models,
                  const std::string& sentence, const std::vector<Row>& rows) {
  const Cpu cpu = detect_cpu();
  if (context.common.json) {
    OrderedJson result{{"models", models}};
    result.update(head);
    result["cpu"] = cpu.name;
    result["cpu_class"] = cpu.cpu_class();
    fmt::print("{}\n", dump_json(result, 2));
    return;
  }
  fmt::print("{}, {} ({}); models run alternately; times in ms\n\n", sentence, cpu.name, cpu.cpu_class());
  print_table({"model", "median", "p90", "p99", "samples/s", "speed-up"}, rows);
}

int bench_in_this_process(const BenchVerb& verb, const BenchSettings& settings, const Context& context) {
  const int threads = settings.threads > 0 ? settings.threads : detect_cpu().cores;
  const LoadedModels loaded = verb.runtime == kOpenVino ? load_models(verb, settings, verb.models.size() > 1)
                                                        : load_in_onnxruntime(verb, settings, threads);
  ComparisonOptions options{.warmup = settings.warmup, .seconds = verb.seconds, .threads = threads};
  if (settings.runs > 0) options.min_blocks = options.max_runs = settings.runs;
  const Comparison compared = compare(loaded, options);
  const std::vector<Latency>& latencies = compared.latencies;
  OrderedJson models = OrderedJson::array(), in_default;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const Figures figures{latencies[i], static_cast<double>(settings.batch_size) * 1000.0 / latencies[i].median_ms};
    const TimeRatio speedup = i == 0 ? TimeRatio{} : compared.ratio(i);
    OrderedJson model{{"path", loaded.paths[i]}, {"precision", to_string(loaded.precisions[i])}};
    model.update(to_json(figures));
    model["speedup"] = speedup.median;
    model["speedup_low"] = speedup.low;
    model["speedup_high"] = speedup.high;
    if (i < verb.models.size())
      models.push_back(model);
    else
      in_default = model;  // not one of the models that the caller gave
    rows.push_back(row_of(title_of(loaded, i), figures,
                          i == 0 ? "" : format_speedup(speedup.median, {speedup.low, speedup.high})));
  }
  const bool uses_cpu_time = compared.basis == TimeBasis::Cpu;
  OrderedJson head{{"batch_size", settings.batch_size},
                   {"threads", threads},
                   {"contention", compared.contention},
                   {"speedup_basis", uses_cpu_time ? "cpu" : "wall"}};
  head.update(runtime_json(loaded.onnxruntime.get()));
  if (!in_default.is_null()) head["first_model_in_default_precision"] = in_default;
  const std::string runtime = loaded.onnxruntime ? ", " + describe_runtime(*loaded.onnxruntime) : "";
  print_result(context, head, models, fmt::format("batch {}, {} threads{}", settings.batch_size, threads, runtime),
               rows);
  if (!in_default.is_null() && !context.common.json)
    fmt::print("\nThe last row is the first model as a program without settings runs it on this CPU.\n");
  if (uses_cpu_time && !context.common.json)
    fmt::print("\nOther programs used {:.0f}% of the CPU, so speed-ups are ratios of CPU time.{}\n",
               100 * compared.contention,
               threads > 1 ? "\nWith --threads 1, other programs hardly affect the speed-ups of short models." : "");
  return kSuccess;
}

int bench_in_instances(const BenchVerb& verb, const BenchSettings& settings, const std::vector<std::vector<int>>& cores,
                       const Context& context) {
  for (const std::string& path : verb.models) load_model(path, settings.load);  // one message instead of many
  const std::size_t each = cores.front().size();
  const auto times = run_instances(context.arguments, cores, verb.models.size(), {verb.seconds, settings.runs});
  OrderedJson models = OrderedJson::array();
  std::vector<Row> rows;
  double baseline_throughput = 0;
  for (std::size_t model = 0; model < verb.models.size(); ++model) {
    OrderedJson instances = OrderedJson::array();
    std::vector<Row> instance_rows;
    std::vector<double> all_times;
    double sum = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Figures figures = figures_of(times[i].ms[model], settings.batch_size);
      sum += figures.throughput;
      all_times.insert(all_times.end(), times[i].ms[model].begin(), times[i].ms[model].end());
      OrderedJson instance{{"cores", cores[i]}};
      instance.update(to_json(figures));
      instances.push_back(instance);
      instance_rows.push_back(
          row_of(fmt::format("  instance {} on core{} {}", i + 1, each == 1 ? "" : "s", fmt::join(cores[i], ",")),
                 figures, ""));
    }
    if (model == 0) baseline_throughput = sum;
    const Figures together{summarize(all_times), sum};
    OrderedJson entry{{"path", verb.models[model]}};
    entry.update(to_json(together));
    entry["speedup"] = sum / baseline_throughput;
    entry["instances"] = instances;
    models.push_back(entry);
    rows.push_back(row_of(verb.models[model], together, fmt::format("{:.2f} x", sum / baseline_throughput)));
    rows.insert(rows.end(), instance_rows.begin(), instance_rows.end());
  }
  print_result(context,
               {{"batch_size", settings.batch_size}, {"instances", cores.size()}, {"cores_per_instance", each}}, models,
               fmt::format("batch {}, {} instance{} of {} core{}", settings.batch_size, cores.size(),
                           cores.size() == 1 ? "" : "s", each, each == 1 ? "" : "s"),
               rows);
  return kSuccess;
}

int run_bench(const BenchVerb& verb, const Context& context) {
  if (!verb.instance_cores.empty()) bind_to_cores(verb.instance_cores);
  BenchSettings settings = settings_of(verb, context);
  if (!verb.instance_cores.empty()) {
    settings.threads = static_cast<int>(verb.instance_cores.size());
    LoadedModels loaded = load_models(verb, settings, false);
    for (TimedModel& contender : loaded.contenders)
      for (int i = 0; i < std::max(1, settings.warmup); ++i) contender.run_ms();
    serve_instance(std::move(loaded.contenders));
    return kSuccess;
  }
  const auto cores = assign_cores(usable_cores(), settings.instances, settings.cores_per_instance);
  if (!cores.empty() && verb.runtime != kOpenVino)
    throw ConfigError("bench", "--instances is not supported with --runtime onnxruntime; use OpenVINO");
  if (cores.empty()) return bench_in_this_process(verb, settings, context);
  return bench_in_instances(verb, settings, cores, context);
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<BenchVerb>();
  CLI::App* command =
      add_verb(app, context, "bench", "Measure the speed of models and compare it with the first model",
               "  lpot bench resnet20.onnx int8/model.xml\n"
               "  lpot bench resnet20.onnx int8/model.xml --batch-size 32 --threads 1\n"
               "  lpot bench resnet20.onnx int8/model.xml --instances 4 --cores-per-instance 2\n"
               "  lpot bench resnet20.onnx int8/model.xml --config conf.yaml\n"
               "  lpot bench resnet20.onnx int8/model.onnx --runtime onnxruntime\n"
               "  lpot bench bert.onnx int8/model.xml --shape input_ids=1,128 --shape attention_mask=1,128");
  command->add_option("model", verb->models, fmt::format("Models: {}", kModelFiles))->required();
  command->add_option("-b,--batch-size", verb->batch_size, "Samples per inference (default: the config's, else 1)")
      ->check(CLI::PositiveNumber);
  command->add_option("-t,--threads", verb->threads, "Threads (default: all cores)")->check(CLI::PositiveNumber);
  command->add_option("--seconds", verb->seconds, "Total time to measure, for all models together")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--warmup", verb->warmup,
                   "Runs of each model before the measurement (default: the config's, else 5)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--instances", verb->instances,
                   "Number of processes that run at the same time, each on its own cores")
      ->check(CLI::PositiveNumber);
  command->add_option("--cores-per-instance", verb->cores_per_instance, "Number of cores of each process")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("-c,--config", verb->configs,
                   "YAML file; evaluation.performance sets data, warm-up, iterations, cores and instances")
      ->allow_extra_args(false);
  command->add_option("--set", verb->overrides, "Override a key of the config: KEY=VALUE")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command
      ->add_option(
          "--shape", verb->shapes,
          "Shape of an input with dynamic dimensions: NAME=1,128 (default: from the deploy.yaml next to the model)")
      ->allow_extra_args(false)
      ->type_name("NAME=SHAPE");
  command
      ->add_option(
          "--precision", verb->precisions,
          "Precision of everything that is not int8: f32, bf16, f16, or auto for the runtime's default. One for all "
          "models, or one for each, separated by commas (default: the one that a model was saved with, else f32; of "
          "several models, the first is also measured in the runtime's default)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--instance-cores", verb->instance_cores)->delimiter(',')->group("");
  add_runtime_option(*command, verb->runtime);
  verb->options.add_to(*command);
  command->callback([verb, &context] { context.run = [verb, &context] { return run_bench(*verb, context); }; });
}

}  // namespace lpot::cli
