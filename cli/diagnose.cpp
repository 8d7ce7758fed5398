#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/config_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/report/table.h"
#include "lpot/tune/tune.h"

namespace lpot::cli {
namespace {

Row row_of(const OpDiagnosis& op, const std::string& remark) {
  const auto shown = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
  };
  return {op.op,
          op.type,
          shown(op.decibels(), 1),
          shown(op.fp32_ms, 3),
          shown(op.int8_ms, 3),
          std::to_string(op.channels.outliers),
          std::to_string(op.channels.dead),
          remark};
}

int run_diagnose(const ConfigOptions& verb, const Context& context) {
  Terminal terminal(context.common);
  const std::vector<OpDiagnosis> ops =
      diagnose(verb.load(), {.model = verb.model, .command = context.command_line}, terminal.observer());
  if (context.common.json) {
    auto json = nlohmann::ordered_json::array();
    for (const OpDiagnosis& op : ops) json.push_back(to_json(op));
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return kSuccess;
  }
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::string>> advice;  // a line of YAML, and what it is for
  for (const OpDiagnosis& op : ops) {
    std::string kinds;
    for (const Finding& finding : findings(op)) {
      kinds += (kinds.empty() ? "" : ", ") + finding.kind;
      auto same = std::find_if(advice.begin(), advice.end(), [&](const auto& a) { return a.first == finding.yaml; });
      if (same == advice.end()) same = advice.insert(same, {finding.yaml, ""});
      same->second += fmt::format("  {}: {}\n", op.op, finding.text);
    }
    rows.push_back(row_of(op, kinds));
  }
  fmt::print("{}\n", format_table({"op", "type", "dB", "fp32 ms", "int8 ms", "outliers", "dead", "findings"}, rows));
  fmt::print("dB: expected signal over noise; outliers, dead: channels of the activation in front\n\n");
  if (advice.empty()) fmt::print("Nothing stands out.\n");
  if (!advice.empty())
    fmt::print("What may help, each line a second configuration (lpot tune conf.yaml more.yaml):\n\n");
  for (const auto& [yaml, reasons] : advice) fmt::print("{}\n{}", yaml, reasons);
  return kSuccess;
}

}  // namespace

void add_diagnose(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<ConfigOptions>();
  CLI::App* command = add_verb(app, context, "diagnose", "Say what int8 would do to every op, without tuning",
                               "  lpot diagnose conf.yaml --model resnet20.onnx");
  verb->add_to(*command, false);
  command->callback([verb, &context] { context.run = [verb, &context] { return run_diagnose(*verb, context); }; });
}

}  // namespace lpot::cli
