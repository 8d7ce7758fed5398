#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/config_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/core/cpu.h"
#include "lpot/core/json.h"
#include "lpot/report/table.h"
#include "lpot/tune/tune.h"

namespace lpot::cli {
namespace {

constexpr std::size_t kShownLines = 3;  // of YAML, for one kind of finding

// Ops with the same kind of finding, and the lines of YAML that act on it.
struct FindingGroup {
  std::vector<std::string> ops = {};
  std::vector<std::string> yaml = {};  // each line once
};

struct FindingKind {
  std::string name;
  const char* explanation;
};

const std::vector<FindingKind>& finding_kinds() {
  static const std::vector<FindingKind> kKinds{
      {"noise", "int8 rounding adds more than 1% noise (less than 20 dB). Keep such ops in fp32:"},
      {"slower", "The int8 kernel is slower than fp32 on this CPU. Keep such ops in fp32:"},
      {"outliers", "A few input channels have a much wider range than the others:"},
      {"saturation", "Sums can overflow on this CPU when weights use all 8 bits:"},
      {"dead", "Some input channels are constant. Calibrate with more samples:"}};
  return kKinds;
}

// Findings that matter on this CPU: sums overflow only where 8-bit products are added in 16 bits.
std::vector<Finding> findings_on(const Cpu& cpu, const OpDiagnosis& op) {
  std::vector<Finding> found = findings(op);
  if (!cpu.needs_half_range())
    std::erase_if(found, [](const Finding& finding) { return finding.kind == "saturation"; });
  return found;
}

Row row_of(const OpDiagnosis& op, const std::string& kinds) {
  const auto shown = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
  };
  return {op.op,
          shown(op.decibels(), 1),
          shown(op.fp32_ms, 3),
          shown(op.int8_ms, 3),
          std::to_string(op.channels.outliers),
          std::to_string(op.channels.dead),
          kinds};
}

void print_legend() {
  fmt::print(
      "\n"
      "op        ordered from the noisiest to the least noisy\n"
      "dB        expected signal-to-noise ratio in int8; 20 dB is 1% noise, 30 dB is 0.1%\n"
      "fp32 ms   time of the op in one inference without int8, in the precision of the plan (bf16 on CPUs with bf16\n"
      "          units, unless quantization.precision is f32); fp32_ms in --json; \"-\": not measured\n"
      "int8 ms   the same in int8\n"
      "outliers  input channels whose range is more than 10 times the median range\n"
      "dead      input channels that have the same value in all samples\n"
      "findings  explained below\n\n");
}

void print_group(const FindingKind& kind, const FindingGroup& group) {
  fmt::print("{}: {} op{}: {}\n  {}\n", kind.name, group.ops.size(), group.ops.size() == 1 ? "" : "s",
             format_names(group.ops, "--json"), kind.explanation);
  const std::size_t shown = std::min(kShownLines, group.yaml.size());
  for (std::size_t i = 0; i < shown; ++i) fmt::print("    {}\n", group.yaml[i]);
  if (shown < group.yaml.size()) fmt::print("    and {} more lines, see --json\n", group.yaml.size() - shown);
}

void print_text(const std::vector<OpDiagnosis>& ops) {
  const Cpu cpu = detect_cpu();
  std::vector<Row> rows;
  std::map<std::string, FindingGroup> groups;
  for (const OpDiagnosis& op : ops) {
    std::vector<std::string> kinds;
    for (const Finding& finding : findings_on(cpu, op)) {
      kinds.push_back(finding.kind);
      FindingGroup& group = groups[finding.kind];
      group.ops.push_back(op.op);
      if (std::find(group.yaml.begin(), group.yaml.end(), finding.yaml) == group.yaml.end())
        group.yaml.push_back(finding.yaml);
    }
    rows.push_back(row_of(op, fmt::format("{}", fmt::join(kinds, ", "))));
  }
  print_table({"op", "dB", "fp32 ms", "int8 ms", "outliers", "dead", "findings"}, rows);
  print_legend();
  if (groups.empty()) {
    fmt::print("No findings.\n");
    return;
  }
  fmt::print("To apply a line of YAML, save it as more.yaml: lpot tune conf.yaml more.yaml\n\n");
  for (const FindingKind& kind : finding_kinds())
    if (const auto group = groups.find(kind.name); group != groups.end()) print_group(kind, group->second);
}

int run_diagnose(const ConfigOptions& verb, const Context& context) {
  Terminal terminal(context.common);
  const std::vector<OpDiagnosis> ops =
      diagnose(verb.load(), {.model = verb.model, .command = context.command_line}, terminal.observer());
  if (context.common.json) {
    auto json = nlohmann::ordered_json::array();
    for (const OpDiagnosis& op : ops) json.push_back(to_json(op));
    fmt::print("{}\n", dump_json(json, 2));
  } else {
    print_text(ops);
  }
  return kSuccess;
}

}  // namespace

void add_diagnose(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<ConfigOptions>();
  CLI::App* command = add_verb(app, context, "diagnose",
                               "Show the expected noise, speed and problems of every op in int8, without tuning",
                               "  lpot diagnose conf.yaml --model resnet20.onnx");
  verb->add_to(*command, false);
  command->callback([verb, &context] { context.run = [verb, &context] { return run_diagnose(*verb, context); }; });
}

}  // namespace lpot::cli
