#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "lpot/report/reference.h"
#include "lpot/tune/setup.h"

namespace lpot::cli {

void add_reference(CLI::App& app, Context& context) {
  CLI::App* command =
      add_verb(app, context, "reference", "Print every key, data set, transform, metric and strategy as Markdown",
               "  lpot reference > reference.md");
  command->callback([&context] {
    context.run = [&context] {
      const std::string text = reference_markdown(component_tables());
      fmt::print("{}", context.common.json ? nlohmann::json{{"markdown", text}}.dump(2) + "\n" : text);
      return static_cast<int>(kSuccess);
    };
  });
}

}  // namespace lpot::cli
