#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/completion_scripts.h"
#include "cli/verbs.h"

namespace lpot::cli {
namespace {

const std::map<std::string, std::string (*)(const CommandLine&)> kShells{
    {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};

// The values of CLI::IsMember, which describes itself as "TEXT:{html,md,json}".
std::vector<std::string> choices_of(const std::string& type_name) {
  const auto open = type_name.find('{'), close = type_name.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type_name.substr(open + 1, close - open - 1), ',');
}

std::vector<CompletionOption> options_of(const CLI::App& app) {
  std::vector<CompletionOption> options;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    CompletionOption found{.names = {},
                           .description = option->get_description(),
                           .has_value = option->get_items_expected_max() > 0,
                           .choices = choices_of(option->get_type_name())};
    for (const std::string& name : option->get_snames()) found.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) found.names.push_back("--" + name);
    options.push_back(found);
  }
  return options;
}

CommandLine command_line_of(const CLI::App& app) {
  CommandLine line{.verbs = {}, .options = options_of(app)};
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    line.verbs.push_back({verb->get_name(), verb->get_description(), options_of(*verb)});
  return line;
}

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = add_verb(app, context, "completion", "Print the script that completes lpot's commands in a shell",
                               "  lpot completion bash > ~/.local/share/bash-completion/completions/lpot\n"
                               "  lpot completion zsh > ~/.zfunc/_lpot    (a folder of fpath)\n"
                               "  lpot completion fish > ~/.config/fish/completions/lpot.fish");
  command->add_option("shell", *shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app, &context] {
    context.run = [shell, &app, &context] {
      const std::string script = kShells.at(*shell)(command_line_of(app));
      if (context.common.json)
        fmt::print("{}\n", nlohmann::json{{"shell", *shell}, {"script", script}}.dump(2));
      else
        fmt::print("{}", script);
      return static_cast<int>(kSuccess);
    };
  });
}

}  // namespace lpot::cli
