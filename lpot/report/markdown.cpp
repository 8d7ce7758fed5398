#include "lpot/report/markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lpot/core/json.h"
#include "lpot/report/table.h"

namespace lpot {
namespace {

// Escapes text so that it stays in its cell and is not interpreted as markup.
std::string plain(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (std::string_view("\\`*_{}[]<>|#").find(letter) != std::string_view::npos) safe += '\\';
    safe += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  return safe;
}

// The same for code, where a backslash would be printed.
std::string code(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '\n' || letter == '\r' || letter == '|'; }, ' ');
  return "`" + text + "`";
}

std::string fixed(const OrderedJson& json, const char* key, int digits) {
  return json.contains(key) && json[key].is_number() ? fmt::format("{:.{}f}", json[key].get<double>(), digits) : "-";
}

std::string row(const Row& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }

std::string table(const Row& header, const std::vector<Row>& rows) {
  std::string text = row(header) + row(Row(header.size(), "---"));
  for (const Row& cells : rows) text += row(cells);
  return text + "\n";
}

const OrderedJson* best_trial(const OrderedJson& view) {
  for (const OrderedJson& trial : view["trials"])
    if (trial["number"] == view["best"]) return &trial;
  return nullptr;
}

Spread spread_in(const OrderedJson& trial) {
  return {trial.value("speedup_low", 0.0), trial.value("speedup_high", 0.0)};
}

std::string speedup_text(const OrderedJson& trial) {
  return trial.contains("speedup") && trial["speedup"].is_number() ? format_speedup(trial["speedup"], spread_in(trial))
                                                                   : "-";
}

std::string comparison(const OrderedJson& view, const OrderedJson& best) {
  const OrderedJson& base = view["baseline"];
  const std::size_t bytes = view.value("model_bytes", 0) > 0 ? view["model_bytes"] : best["size_bytes"];
  std::vector<Row> rows;
  for (const auto& [name, value] : base["metrics"].items())
    rows.push_back({plain(name), fixed(base["metrics"], name.c_str(), 4), fixed(best["metrics"], name.c_str(), 4)});
  rows.push_back({"latency, ms (same run)",
                  fmt::format("{:.3f}", best.value("latency_ms", 0.0) * best.value("speedup", 1.0)),
                  fmt::format("{} ({})", fixed(best, "latency_ms", 3),
                              format_faster_slower(best.value("speedup", 1.0), spread_in(best)))});
  rows.push_back({"size", format_bytes(base["size_bytes"]), format_bytes(bytes)});
  return table({"", "fp32", "int8"}, rows);
}

std::string accuracy_text(const OrderedJson& trial) {
  if (trial.contains("error")) return "failed";
  return fixed(trial, "accuracy", 4) + (trial.value("complete", true) ? "" : " (estimate)");
}

std::string recipes_text(const OrderedJson& trial) {
  return plain(fmt::format("{}", fmt::join(trial["recipes"].get<std::vector<std::string>>(), ", ")));
}

// "0.7065 +- 0.004", "distance 0.21", or "failed".
std::string estimate_of(const OrderedJson& candidate) {
  if (candidate["estimated_accuracy"].is_number())
    return fmt::format("{:.4f} +- {:.2g}", candidate["estimated_accuracy"].get<double>(),
                       candidate["error"].is_number() ? candidate["error"].get<double>() : 0.0);
  if (candidate["distance"].is_number()) return fmt::format("distance {:.3g}", candidate["distance"].get<double>());
  return "failed";
}

std::string estimate_of_trial(const OrderedJson& view, const OrderedJson& trial) {
  for (const OrderedJson& candidate : view["ranked"])
    if (candidate["trial"] == trial["number"]) return estimate_of(candidate);
  return "-";
}

// The candidates that have an estimate and no trial.
std::string ranked_not_tried(const OrderedJson& view) {
  std::vector<Row> rows;
  for (const OrderedJson& candidate : view["ranked"])
    if (candidate["trial"].is_null())
      rows.push_back({plain(candidate["ranges"]), recipes_text(candidate), candidate["not_int8"].dump(),
                      plain(candidate["precision"]), estimate_of(candidate), candidate["samples"].dump()});
  if (rows.empty()) return "";
  return fmt::format(
      "## Ranked, not tried\n\nProbes ranked {} candidates on a few samples. {} of them became trials; these did not. "
      "The number after +- is the standard error. Speed is measured only in trials.\n\n{}",
      view["ranked"].size(), view["ranked"].size() - rows.size(),
      table({"ranges", "recipes", "not int8", "rest in", "estimated " + plain(view["metric"]), "samples"}, rows));
}

std::string trials(const OrderedJson& view) {
  std::vector<Row> rows;
  for (const OrderedJson& trial : view["trials"])
    rows.push_back({trial["number"].dump(), accuracy_text(trial), estimate_of_trial(view, trial),
                    fixed(trial, "fp32_latency_ms", 3), fixed(trial, "latency_ms", 3), speedup_text(trial),
                    trial["fp32_ops"].dump(), fixed(trial, "seconds", 1), plain(trial["ranges"]), recipes_text(trial),
                    trial["number"] == view["best"] ? "best" : plain(trial.value("error", ""))});
  return table({"trial", plain(view["metric"]), "by probe", "fp32 ms, same run", "ms", "speed-up", "not int8",
                "seconds", "ranges", "recipes", ""},
               rows);
}

}  // namespace

std::string report_markdown(const OrderedJson& view) {
  const OrderedJson* best = best_trial(view);
  std::string text = fmt::format("# {}, study {}\n\n", plain(view["name"]), view["study"].dump());
  if (best) text += comparison(view, *best);
  if (view["goal"].is_object())
    text += fmt::format("Goal: {}: {}. Trials: {}, in {}.\n\n", plain(view["goal"]["text"]),
                        view["goal"]["met"] == true ? "met" : "not met", view["trials"].size(),
                        format_seconds(view["seconds"]));
  if (view.contains("faster_trial")) text += plain(view["faster_trial"]) + "\n\n";
  if (const std::string probes = view["probes_text"]; !probes.empty())
    text += fmt::format("Probes: {}.\n\n", plain(probes));
  text += "## Trials\n\n" + trials(view) + ranked_not_tried(view);
  std::vector<Row> not_int8_rows, finding_rows;
  std::string noisiest;
  for (const OrderedJson& op : view["ops"]) {
    if (op.contains("why")) not_int8_rows.push_back({plain(op["name"]), plain(op["type"]), plain(op["why"])});
    if (op.contains("why_int8"))
      noisiest = fmt::format("Noisiest op in int8: {}. {}\n\n", plain(op["name"]), plain(op["why_int8"]));
    if (op.contains("findings"))
      for (const OrderedJson& finding : op["findings"])
        finding_rows.push_back({plain(op["name"]), plain(finding["text"]), code(finding["yaml"])});
  }
  if (!not_int8_rows.empty()) text += "## Ops not in int8\n\n" + table({"op", "type", "why"}, not_int8_rows);
  text += noisiest;
  if (!finding_rows.empty()) text += "## Diagnosis\n\n" + table({"op", "finding", "YAML that may help"}, finding_rows);
  const OrderedJson& about = view["about"];
  if (about.contains("command") && about.contains("machine") && about.contains("versions"))
    text +=
        fmt::format("## Reproduce\n\n{}\n\n{}, {} cores ({}); lpot {}, OpenVINO {}\n", code(about["command"]),
                    plain(about["machine"]["cpu"]), about["machine"]["cores"].dump(), plain(about["machine"]["class"]),
                    plain(about["versions"]["lpot"]), plain(about["versions"]["openvino"]));
  return text;
}

}  // namespace lpot
