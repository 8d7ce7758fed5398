// Checks that time and memory grow linearly with the number of trials and of ops. Each part is measured at several
// sizes. The exponent is the slope of the logarithms: 1 is linear, 2 is quadratic.
//
//   build/bin/bench_load build/bin/lpot           1,000, 3,000 and 10,000 trials; 250 to 4,000 ops
//   build/bin/bench_load build/bin/lpot quick     a tenth of that
//   build/bin/bench_load build/bin/lpot ops       the ops alone
//   build/bin/bench_load build/bin/lpot ops 500   500 of them, in this process: for valgrind, which counts instructions
//
// The study uses the real search loop and the real store, but synthetic scores. A network is a chain of matrix
// products, each followed by an activation. All names have the same length: std::string stores short names without an
// allocation. Times are CPU times. The measurements over the number of ops run in a separate process; each is the
// median of several runs after one warm-up run, except for calibration. Memory is the memory of the process before and
// after.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "benchmarks/curve.h"
#include "lpot/core/random.h"
#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/report/study_view.h"
#include "lpot/strategies/common.h"
#include "lpot/tune/plan_finalizer.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/quantization_task.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/study.h"
#include "lpot/tune/workspace.h"

namespace {

using namespace lpot;
namespace fs = std::filesystem;
namespace op = ov::opset8;

constexpr int kOpsOfStudy = 40;

SearchSpace synthetic_space(std::size_t count) {
  std::vector<QuantizableOp> ops;
  for (std::size_t i = 0; i < count; ++i)
    ops.push_back({fmt::format("block{}/MatMul", i), "MatMul", fmt::format("x{}", i), {1}});
  return {allowed_choices(ops, {}, recipe_declarations(), false).value};
}

std::unique_ptr<Strategy> strategy_of(const std::string& name) {
  Component component;
  component.name = name;
  return make_strategy(component);
}

// A score that depends on the plan alone and never meets the goal.
Measurement synthetic_score(const Plan& plan) {
  Measurement result;
  result.accuracy = 0.5 + static_cast<double>(key_of(plan).sum % 1000) / 10000;
  result.metrics = {{"topk", result.accuracy}};
  result.latency_ms = 1;
  result.size_bytes = 1000;
  result.samples = 10;
  return result;
}

Goal unreachable() {
  Goal goal;
  goal.baseline = 0.99;
  goal.tolerance = 0.01;
  goal.relative = true;
  return goal;
}

StudyOutcome run_study(Store& store, StudyId id, const SearchSpace& space, std::size_t trials) {
  StudyOptions options;
  options.space = space;
  options.goal = unreachable();
  options.exit_policy.max_trials = trials;
  const auto strategy = strategy_of("random");
  return Study(store, id, options).run(*strategy, {[](const Plan& plan, const Observer&) {
    return synthetic_score(plan);
  }});
}

// CPU seconds and peak memory in MB of a program. The peak includes the memory that this process has at the fork.
std::pair<double, double> run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stdout)) ::_exit(126);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (status != 0) throw Error("bench", fmt::format("{} {} failed", words[0], words[1]));
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const double seconds = in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime);
  return {seconds, static_cast<double>(usage.ru_maxrss) / 1024};
}

void bench_trials(const std::string& lpot, const fs::path& folder, const std::vector<std::size_t>& sizes) {
  print_head("trials", sizes);
  const SearchSpace space = synthetic_space(kOpsOfStudy);
  Curve tuning("the loop: propose, store (synced)", "s"), memory("memory of it", "MB"), back("resume: read back", "s"),
      view("report: the study's view", "s"), shown("`lpot show --json`", "s"), shown_memory("its peak memory", "MB"),
      reported("`lpot report`", "s"), reported_memory("its peak memory", "MB");
  for (const std::size_t size : sizes) {
    const fs::path workspace = folder / fmt::format("study{}", size);
    fs::create_directories(workspace);
    const auto count = static_cast<double>(size);
    {
      const auto store = open_sqlite_store(store_path(workspace));
      const StudyId id = store->create_study({"bench", "1", "made up", "{}"});
      const double before = bytes_in_use();
      StudyOutcome outcome;
      tuning.add(count, seconds_of([&] { outcome = run_study(*store, id, space, size); }));
      memory.add(count, (bytes_in_use() - before) / 1e6);
      if (outcome.trials.size() != size) throw Error("bench", "the study ended early");
      back.add(count, seconds_of([&] { run_study(*store, id, space, size); }));
      view.add(count, seconds_of([&] { study_view(*store, find_study(*store, id)); }));
    }
    const auto [seconds, peak] = run_program({lpot, "show", workspace.string(), "--json"});
    shown.add(count, seconds);
    shown_memory.add(count, peak);
    const auto [report_seconds, report_peak] = run_program(
        {lpot, "report", workspace.string(), "--format", "html", "--output", (workspace / "r.html").string()});
    reported.add(count, report_seconds);
    reported_memory.add(count, report_peak);
  }
  for (const Curve* curve : {&tuning, &memory, &back, &view, &shown, &shown_memory, &reported, &reported_memory})
    curve->print();
}

std::vector<Trial> synthetic_trials(const SearchSpace& space, std::size_t count) {
  const auto random = strategy_of("random");
  const std::vector<WholeModelPlan> schemes = whole_model_plans(space);  // strategies try these first
  std::vector<Trial> trials;
  PlanIndex index, no_probes;
  const Goal goal = unreachable();
  const std::vector<Probe> probes;
  while (trials.size() < count) {
    History history{trials, goal, 1978, probes};
    history.use(index, no_probes);
    const Plan plan =
        trials.size() < schemes.size() ? schemes[trials.size()].plan(space) : random->next(space, history)->plan;
    index.add(key_of(plan));
    trials.push_back({trials.size() + 1, plan, synthetic_score(plan), "", 1});
  }
  return trials;
}

// The time of a step must not grow with the trials before it, or the study as a whole is not linear.
void bench_steps(const std::vector<std::size_t>& sizes) {
  print_head("one step after this many trials", sizes);
  const SearchSpace space = synthetic_space(kOpsOfStudy);
  const std::vector<Trial> all = synthetic_trials(space, sizes.back());
  for (const char* name : {"basic", "mse", "auto", "random", "exhaustive", "tpe", "bayesian"}) {
    Curve curve(fmt::format("`{}`", name), "ms");
    const auto strategy = strategy_of(name);
    for (const std::size_t size : sizes) {
      const std::vector<Trial> trials(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
      PlanIndex index, no_probes;
      for (const Trial& trial : trials) index.add(key_of(trial.plan));
      const Goal goal = unreachable();
      const std::vector<Probe> probes;
      constexpr int kSteps = 5;
      History history{trials, goal, 1978, probes};
      history.use(index, no_probes);
      const double seconds = seconds_of([&] {
        for (int i = 0; i < kSteps; ++i) strategy->next(space, history);
      });
      curve.add(static_cast<double>(size), 1000 * seconds / kSteps);
    }
    curve.print();
  }
}

// A chain of matrix products, each followed by an activation.
std::shared_ptr<ov::Model> chain(std::size_t count) {
  constexpr std::size_t kWidth = 8;
  const auto input = std::make_shared<op::Parameter>(ov::element::f32, ov::PartialShape{-1, kWidth});
  input->set_friendly_name("x");
  input->output(0).set_names({"x"});
  ov::Output<ov::Node> last = input;
  RandomGenerator random(7, "chain");
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> weights(kWidth * kWidth);
    for (float& weight : weights) weight = static_cast<float>(random.uniform(-0.5, 0.6));
    const auto constant = op::Constant::create(ov::element::f32, {kWidth, kWidth}, weights);
    constant->set_friendly_name(fmt::format("block{:05}/weights", i));
    const auto product = std::make_shared<op::MatMul>(last, constant);
    product->set_friendly_name(fmt::format("block{:05}/MatMul", i));
    const auto activation = std::make_shared<op::Tanh>(product);
    activation->set_friendly_name(fmt::format("block{:05}/Tanh", i));
    last = activation;
  }
  last.set_names({"y"});
  return std::make_shared<ov::Model>(ov::OutputVector{last}, ov::ParameterVector{input});
}

// Runs the strategy until it has `count` trials and probes, then measures the time of one more step.
double step_ms(const std::string& name, const SearchSpace& space, std::size_t count) {
  const auto strategy = strategy_of(name);
  std::vector<Trial> trials;
  std::vector<Probe> probes;
  PlanIndex of_trials, of_probes;
  const Goal goal = unreachable();
  const auto next = [&] {
    History history{trials, goal, 1978, probes};
    history.use(of_trials, of_probes);
    return strategy->next(space, history);
  };
  while (trials.size() + probes.size() < count) {
    const std::optional<Step> step = next();
    if (!step) break;
    if (step->kind == Step::Kind::Probe) {
      of_probes.add(key_of(step->plan));
      probes.push_back({step->plan, 0.1, 1, trials.size() + 1});
    } else {
      of_trials.add(key_of(step->plan));
      trials.push_back({trials.size() + 1, step->plan, synthetic_score(step->plan), "", 1});
    }
  }
  return 1000 * median_seconds_of(next);
}

struct Part {
  const char* name;
  const char* unit;
};

constexpr std::array kPartsOfOps{Part{"load, list ops, search space", "s"},
                                 Part{"calibrate", "s"},
                                 Part{"resolve a plan", "s"},
                                 Part{"apply it", "s"},
                                 Part{"save it", "s"},
                                 Part{"plan to JSON and back", "s"},
                                 Part{"memory of all", "MB"},
                                 Part{"a step of `basic` after 60 trials", "ms"},
                                 Part{"a step of `mse` after 60", "ms"},
                                 Part{"a step of `auto` after 60", "ms"},
                                 Part{"a step of `tpe` after 60", "ms"}};
using ValuesOfOps = std::array<double, kPartsOfOps.size()>;

ValuesOfOps measure_ops(const fs::path& folder, std::size_t size) {
  const Config config = load_config_text(
      "model: {name: chain}\nquantization: {calibration: {sampling_size: 8, dataloader: {batch_size: 8, dataset: "
      "{dummy: "
      "{shape: 8x8, low: -1.0, high: 1.0}}}}, recipes: {forms: plain}}\nevaluation: {accuracy: {metric: {MSE: "
      "{compare_label: false}}, dataloader: {batch_size: 8, dataset: {dummy: {shape: 8x8}}}}}\n",
      "bench", component_tables());
  const fs::path path = folder / fmt::format("chain{}.xml", size);
  ov::save_model(chain(size), path.string(), false);
  const double before = bytes_in_use();
  std::optional<QuantizationTask> task;
  const double load = median_seconds_of([&] { task.emplace(prepare_task(config, path, {}, {})); });
  StatisticsByPlan statistics;
  const double calibration = seconds_of([&] { statistics = calibrate(*task, config, {}, {}); });
  const Plan plan = PlanFinalizer(*task, config, statistics).finalize(first_plan(task->choices));
  Edits edits;
  const double resolved = median_seconds_of([&] { edits = resolve(task->model, plan, statistics.of(plan)); });
  Model int8;
  const double applied = median_seconds_of([&] { int8 = apply(task->model, edits); });
  const double saved = median_seconds_of([&] { save_model(int8, folder / "int8.xml"); });
  const double json_round_trip = median_seconds_of([&] { plan_from_json(to_json(plan)); });
  const double memory = (bytes_in_use() - before) / 1e6;
  return {load,
          calibration,
          resolved,
          applied,
          saved,
          json_round_trip,
          memory,
          step_ms("basic", SearchSpace{task->choices}, 60),
          step_ms("mse", SearchSpace{task->choices}, 60),
          step_ms("auto", SearchSpace{task->choices}, 60),
          step_ms("tpe", SearchSpace{task->choices}, 60)};
}

// Uses a separate process: the heap of earlier sizes would influence the measurement.
ValuesOfOps measure_ops_in_child(const fs::path& folder, std::size_t size) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw Error("bench", "no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const ValuesOfOps values = measure_ops(folder, size);
      ::_exit(::write(ends[1], values.data(), sizeof(values)) == sizeof(values) ? 0 : 1);
    } catch (const std::exception& error) {
      fmt::print(stderr, "bench_load: {}\n", error.what());
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  ValuesOfOps values{};
  const auto count = ::read(ends[0], values.data(), sizeof(values));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0 || count != sizeof(values)) throw Error("bench", fmt::format("{} ops could not be measured", size));
  return values;
}

void bench_ops(const fs::path& folder, const std::vector<std::size_t>& sizes) {
  print_head("ops", sizes);
  std::fflush(stdout);
  std::vector<Curve> curves;
  for (const Part& part : kPartsOfOps) curves.emplace_back(part.name, part.unit);
  for (const std::size_t size : sizes) {
    const ValuesOfOps values = measure_ops_in_child(folder, size);
    for (std::size_t i = 0; i < values.size(); ++i) curves[i].add(static_cast<double>(size), values[i]);
  }
  for (const Curve& curve : curves) curve.print();
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 2) throw Error("bench", "usage: bench_load PROGRAM [quick|ops [SIZE]]");
    const std::string lpot = fs::absolute(words[1]).string();
    const std::string how = count > 2 ? words[2] : "";
    const std::size_t share = how == "quick" ? 10 : 1;
    const fs::path folder = fs::temp_directory_path() / fmt::format("bench_load_{}", ::getpid());
    fs::create_directories(folder);
    if (how == "ops" && count > 3)
      measure_ops(folder, std::stoul(words[3]));
    else
      bench_ops(folder, {250 / share, 500 / share, 1000 / share, 2000 / share, 4000 / share});
    if (how != "ops") {
      bench_steps({1000 / share, 3000 / share, 10000 / share});
      bench_trials(lpot, folder, {1000 / share, 3000 / share, 10000 / share});
    }
    fs::remove_all(folder);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_load: {}\n", error.what());
    return 1;
  }
}
