#include "lpot/tune/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "lpot/core/memory.h"
#include "lpot/core/other_load.h"
#include "lpot/quantize/capability.h"
#include "lpot/quantize/edits.h"
#include "lpot/quantize/noise.h"
#include "lpot/quantize/op_keys.h"
#include "lpot/quantize/products.h"
#include "lpot/quantize/recipes/saturation.h"
#include "lpot/quantize/weights_only.h"
#include "lpot/tune/help.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr double kQuietEnough = 0.25;  // share of the CPU that others may take while times are measured that last

}  // namespace

bool is_dynamic(const Config& config) { return config.quantization.approach == Approach::DynamicQuantization; }

Bench make_bench(const Config& config, const std::filesystem::path& model, const OwnParts& own,
                 const Observer& observer) {
  std::vector<std::string> warnings = config.warnings;
  Model loaded = load_configured_model(config, model);
  DataLoader calibration = first_loader(config, loaded, warnings, own);
  Bench bench{.model = std::move(loaded), .name = {}, .ops = {}, .space = {}, .calibration = std::move(calibration)};
  bench.name = config.model.name.empty() ? bench.model.source.stem().string() : config.model.name;
  bench.ops = searchable_ops(bench.model);
  if (quantizable_ops(bench.model).empty())
    throw ModelError(
        "quantize",
        fmt::format("{}: nothing to quantize: it has no convolution and no matrix product with constant weights",
                    model.string()));
  bench.wanted = without_keys_of_other_ops(config.quantization, bench.model, bench.ops, warnings);
  bench.space = make_search_space(bench.ops, bench.wanted, use_half_range(config, bench.cpu), warnings);
  if (is_dynamic(config)) bench.space.recipes.front().run_time_groups = run_time_groups(bench.cpu);
  for (const std::string& warning : warnings) observer.log(LogLevel::Warning, warning);
  if (bench.space.model_choices.empty())
    throw ConfigError("quantize", "the config keeps every op in fp32: nothing is left to quantize");
  return bench;
}

std::string StatisticsByPlan::Key::name() const {
  return fmt::format("statistics {}{}", sampling_size, equalized ? " cross_layer_equalization" : "");
}

namespace {

// One pass over the data, a snapshot for each sampling size; a recipe that rescales channels has a pass of its own.
void calibrate(StatisticsByPlan& found, bool equalized, const Bench& bench, const Config& config,
               const Observer& observer) {
  std::vector<std::size_t> sizes = config.quantization.sampling_sizes;
  std::sort(sizes.begin(), sizes.end());
  if (sizes.back() > bench.calibration.size())
    observer.log(LogLevel::Warning, fmt::format("sampling_size is {}, the calibration data have {} samples",
                                                sizes.back(), bench.calibration.size()));
  Recipes recipes;
  recipes.cross_layer_equalization = equalized;
  Model model = equalized ? rescaled(bench.model, recipes) : bench.model;
  if (equalized) model.recipe = kEqualized;
  Calibration calibration = observe(model, observation_points(bench.model), bench.calibration,
                                    {.sampling_sizes = sizes, .crew = bench.crew}, observer);
  release_freed_memory();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    found.all.emplace(StatisticsByPlan::Key{sizes.size() == 1 ? 0 : sizes[i], equalized},
                      std::move(calibration.snapshots[i]));
}

}  // namespace

StatisticsByPlan statistics_for(const Bench& bench, const Config& config, const Observer& observer,
                                const LoadKept& load, const Keep& keep) {
  StatisticsByPlan found;
  for (const Recipes& recipes : bench.space.recipes)
    for (const std::size_t size : bench.space.sampling_sizes) {
      const StatisticsByPlan::Key key{size, recipes.cross_layer_equalization};
      if (found.all.contains(key)) continue;
      if (is_dynamic(config)) {
        found.all[key] = {};
      } else if (const std::optional<std::string> bytes = load(key.name())) {
        found.all.emplace(key, statistics_from_bytes(*bytes));
      } else {
        calibrate(found, key.equalized, bench, config, observer);
        for (const auto& [measured, statistics] : found.all)
          if (measured.equalized == key.equalized) keep(measured.name(), to_bytes(statistics));
      }
    }
  return found;
}

Plan first_plan(const SearchSpace& space) {
  Plan plan = space.plan(space.model_choices.front());
  plan.sampling_size = space.sampling_sizes.front();
  return plan;
}

FormChoice measure_forms(const Bench& bench, const Plan& plan, const Statistics& statistics,
                         const std::vector<Tensor>& sample, const Config& config, const FormOptions& options,
                         const FormMemory& memory, const Observer& observer) {
  if (!config.quantization.recipes.measured_forms || is_dynamic(config)) return {};
  FormOptions for_cpu = options;
  for_cpu.convolutions = bench.cpu.needs_half_range();
  try {
    const auto signatures = op_signatures(bench.model, plan, sample);
    if (auto known = memory.recall(signatures)) {
      observer.log(LogLevel::Info, "kernel forms are known for ops of these shapes on this kind of CPU: not measured");
      return *known;
    }
    const OtherLoad load;
    FormChoice choice = choose_forms(bench.model, plan, statistics, sample, for_cpu, observer);
    if (load.share() <= kQuietEnough)
      memory.remember(signatures, choice);
    else
      observer.log(LogLevel::Info, fmt::format("other programs took {:.0f}% of the CPU while kernel forms were timed: "
                                               "they are not remembered for other runs",
                                               100 * load.share()));
    return choice;
  } catch (const ModelError& error) {
    observer.log(LogLevel::Warning, fmt::format("kernel forms are not compared: {}", error.what()));
    return {};
  }
}

CarryOut carried_out(const Bench& bench, const Config& config, const StatisticsByPlan& statistics) {
  if (config.quantization.recipes.half_range || !use_half_range(config, bench.cpu))
    return [](const Plan& plan) { return plan; };
  std::vector<std::string> told_before;
  const auto widening =
      std::make_shared<Widening>(bench.model, make_search_space(bench.ops, bench.wanted, false, told_before),
                                 [&statistics](const Plan& plan) -> const Statistics& { return statistics.of(plan); });
  return [widening](const Plan& plan) { return (*widening)(plan); };
}

void apply_forms(Bench& bench, const FormChoice& forms, const Config& config, const Observer& observer) {
  const bool drop_slower = config.tuning.objective == Objective::Performance;
  use_forms(bench.space, forms, drop_slower);
  if (!forms.forms.empty())
    observer.log(LogLevel::Info, fmt::format("{} matrix products run as 1x1 convolutions, which is faster on this CPU",
                                             forms.forms.size()));
  if (drop_slower && !forms.times.empty() && first_plan(bench.space).int8_count() == 0)
    observer.log(
        LogLevel::Warning,
        "int8 is slower than fp32 for this model on this CPU, so it stays in fp32; tuning.objective: modelsize "
        "makes it small all the same");
  else if (drop_slower && !forms.slower_in_int8.empty())
    observer.log(LogLevel::Info,
                 fmt::format("{} of {} ops stay in fp32, where they are faster: {}", forms.slower_in_int8.size(),
                             forms.times.size(), fmt::join(forms.slower_in_int8, ", ")));
}

void offer_noise(Bench& bench, const Statistics& statistics, const EditsOf& edits_of) {
  // Copies of the space share what is worked out.
  const auto kept = std::make_shared<std::map<std::string, double>>();
  bench.space.noise = [&bench, &statistics, edits_of, kept] {
    if (!kept->empty()) return *kept;
    const Edits& edits = edits_of(first_plan(bench.space));
    *kept = expected_noise(bench.model, edits, statistics);
    if (bench.cpu.needs_half_range())
      for (const std::string& op : saturating_ops(bench.model, edits, statistics)) (*kept)[op] += 1;
    return *kept;
  };
}

}  // namespace lpot
