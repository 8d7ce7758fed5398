#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/verbs.h"
#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/report/result.h"
#include "lpot/report/table.h"
#include "lpot/store/study_record.h"
#include "lpot/tune/workspace.h"

namespace lpot::cli {
namespace {

// A row is longer than 80 columns only if a cell is unusually long. Shortening a speed-up would hide digits.
constexpr std::size_t kColumns = 96;

OrderedJson study_json(const Store& store, const StudyEntry& study) {
  OrderedJson json{{"study", study.id},
                   {"model", study.identity.model_name},
                   {"fingerprint", study.identity.model_fingerprint},
                   {"data", study.identity.data},
                   {"settings", parse_json<OrderedJson>(study.identity.settings)}};
  const StudyRecord record(store, study.id);
  const auto baseline = record.baseline();
  json["baseline"] = baseline ? parse_json<OrderedJson>(to_json(*baseline)) : OrderedJson(nullptr);
  json["trials"] = OrderedJson::array();
  for (const Trial& trial : record.trials())
    json["trials"].push_back(
        {{"number", trial.number},
         {"seconds", trial.seconds},
         {"error", trial.error},
         {"fallback", trial.plan.fallback()},
         {"result", trial.result ? OrderedJson::parse(to_json(*trial.result)) : OrderedJson(nullptr)},
         {"plan", OrderedJson::parse(to_json(trial.plan))}});
  return json;
}

Row row_of(const Trial& trial) {
  const std::string number = std::to_string(trial.number), seconds = format_seconds(trial.seconds);
  if (!trial.result) return {number, "failed", "", "", "", "", "", seconds};
  const Measurement& result = *trial.result;
  return {number,
          fmt::format("{:.4f}{}", result.accuracy, result.complete ? "" : "*"),
          fmt::format("{:.3f}", fp32_latency_ms(result)),
          fmt::format("{:.3f}", result.latency_ms),
          format_speedup(result.speedup, spread_of(result)),
          format_bytes(result.size_bytes),
          std::to_string(trial.plan.fallback().size()),
          seconds};
}

// Prints the settings that differ from those of the study before.
void print_differences(const StudyEntry& before, const StudyEntry& study) {
  const std::vector<SettingDifference> differences = setting_differences(before.identity, study.identity);
  if (differences.empty()) fmt::print("same settings as study {}\n", before.id);
  for (const SettingDifference& difference : differences)
    fmt::print("{}: {} (study {}: {})\n", difference.key, difference.after, before.id, difference.before);
}

// Prints the recipes of the first trial, and of each trial whose recipes differ from those of the trial before it.
void print_recipes(const std::vector<Trial>& trials) {
  const Recipes* before = nullptr;
  for (const Trial& trial : trials) {
    const Recipes& recipes = trial.plan.recipes;
    if (!before || recipes != *before) {
      const std::vector<std::string> on = describe_recipes(recipes, recipe_declarations());
      fmt::print("recipes from trial {}: {}\n", trial.number,
                 on.empty() ? "none" : fmt::format("{}", fmt::join(on, ", ")));
    }
    before = &recipes;
  }
}

void print_study(const Store& store, const StudyEntry& study, const StudyEntry* before) {
  fmt::print("study {} of {} (fingerprint {})\n", study.id, study.identity.model_name,
             study.identity.model_fingerprint);
  if (before) print_differences(*before, study);
  const StudyRecord record(store, study.id);
  std::vector<Row> rows;
  if (const auto baseline = record.baseline())
    rows.push_back({"fp32", fmt::format("{:.4f}", baseline->accuracy), fmt::format("{:.3f}", baseline->latency_ms), "",
                    "", format_bytes(baseline->size_bytes), "", ""});
  bool has_estimate = false;
  const std::vector<Trial> trials = record.trials();
  for (const Trial& trial : trials) {
    rows.push_back(row_of(trial));
    has_estimate = has_estimate || (trial.result && !trial.result->complete);
  }
  fmt::print("{}", format_table({"trial", "accuracy", "fp32 ms", "ms", "speed-up", "size", "not int8", "time"}, rows,
                                kColumns));
  if (has_estimate) fmt::print("* estimate: the evaluation stopped early, because the trial misses the goal\n");
  print_recipes(trials);
  fmt::print("\n");
}

int run_show(const std::string& workspace, const Context& context) {
  const auto store = open_sqlite_store_read_only(store_path(workspace));
  const std::vector<StudyEntry> studies = store->studies();
  if (context.common.json) {
    OrderedJson json = OrderedJson::array();
    for (const StudyEntry& study : studies) json.push_back(study_json(*store, study));
    fmt::print("{}\n", dump_json(json, 2));
    return kSuccess;
  }
  if (studies.empty()) fmt::print("no study in {} yet\n", workspace);
  for (std::size_t i = 0; i < studies.size(); ++i) print_study(*store, studies[i], i == 0 ? nullptr : &studies[i - 1]);
  if (!studies.empty())
    fmt::print(
        "fp32 ms   latency of fp32 at batch 1; for a trial, in the same run as ms\n"
        "ms        latency of the trial's model at batch 1\n"
        "speed-up  against fp32 in the same run: fp32 ms / ms, and its 95% confidence interval\n"
        "not int8  quantizable ops that are not in int8\n");
  const auto best = std::filesystem::path(workspace) / "best" / "model.xml";
  if (std::filesystem::exists(best)) fmt::print("best model: {}\n", best.string());
  return kSuccess;
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  const auto workspace = std::make_shared<std::string>();
  CLI::App* command = add_verb(app, context, "show", "List the studies and trials of a workspace",
                               "  lpot show lpot_workspace/resnet20-onnx");
  command->add_option("workspace", *workspace, "Folder of the workspace")->required();
  command->callback(
      [workspace, &context] { context.run = [workspace, &context] { return run_show(*workspace, context); }; });
}

}  // namespace lpot::cli
