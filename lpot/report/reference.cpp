#include "lpot/report/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lpot/config/keys.h"
#include "lpot/core/component.h"

namespace lpot {
namespace {

// A cell of a table: no line breaks, no bars.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2)
    text.replace(at, 1, text[at] == '|' ? "\\|" : "; ");
  return text;
}

// "yes", or the values that are not supported.
std::string support_of(const std::string& path, const RecipeDeclarations& recipes) {
  std::vector<std::string> parts;
  for (const UnsupportedKey& key : unsupported_keys(recipes))
    if (key.path == path)
      parts.push_back(fmt::format("{}{}: {}", key.refused ? "not supported" : "ignored with a warning",
                                  key.value.empty() ? "" : " (" + key.value + ")", key.reason));
  return parts.empty() ? "yes" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string keys_table(const RecipeDeclarations& recipes) {
  std::string text = "| key | value | default | meaning | supported |\n|---|---|---|---|---|\n";
  for (const KeyInfo& key : config_keys(recipes))
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.path, cell(key.expected),
                        key.default_value.empty() ? "" : "`" + key.default_value + "`", cell(key.summary),
                        cell(support_of(key.path, recipes)));
  return text;
}

std::string parameter_text(const Parameter& parameter) {
  std::string text = "`" + parameter.name + "`";
  if (parameter.required) return text + " (required)";
  return parameter.default_value.empty() ? text : fmt::format("{} = `{}`", text, parameter.default_value);
}

std::string components_table(const std::string& title, const Table& table) {
  std::string text =
      fmt::format("\n## {}\n\n| name | what it is | parameters | supported |\n|---|---|---|---|\n", title);
  for (const Entry& entry : table) {
    std::vector<std::string> parameters;
    for (const Parameter& parameter : entry.parameters) parameters.push_back(parameter_text(parameter));
    text += fmt::format("| `{}` | {} | {} | {} |\n", entry.name, cell(entry.summary),
                        cell(fmt::format("{}", fmt::join(parameters, ", "))),
                        entry.refused.empty() ? "yes" : "not supported: " + cell(entry.refused));
  }
  return text;
}

}  // namespace

std::string reference_markdown(const ComponentTables& tables) {
  return "# Configuration reference\n\nWritten by `lpot reference` from the tables that check a configuration; a test "
         "compares.\n\n## Keys\n\n" +
         keys_table(tables.recipes) + components_table("Data sets", tables.datasets) +
         components_table("Transforms", tables.transforms) +
         components_table("Postprocess transforms", tables.postprocesses) +
         components_table("Metrics", tables.metrics) + components_table("Strategies", tables.strategies);
}

}  // namespace lpot
