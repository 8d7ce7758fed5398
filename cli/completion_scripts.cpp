#include "cli/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lpot::cli {
namespace {

// In single quotes, for every shell here.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// With a backslash before each of `characters`.
std::string escaped(const std::string& text, const std::string& characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string option_names(const std::vector<CompletionOption>& options) {
  std::vector<std::string> names;
  for (const auto& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

// The case of a verb: its options, and the values that are not file names.
std::string bash_case(const CompletionVerb& verb) {
  std::string text = fmt::format("    {})\n      options={}\n", verb.name, quoted(option_names(verb.options)));
  std::string values, other;
  for (const auto& option : verb.options) {
    const std::string choices = quoted(fmt::format("{}", fmt::join(option.choices, " ")));
    if (option.names.empty())
      other = option.choices.empty() ? "" : choices;
    else if (option.has_value)
      values += fmt::format("        {}) values={} ;;\n", fmt::join(option.names, "|"), choices);
  }
  if (!other.empty()) values += fmt::format("        *) values={} ;;\n", other);
  if (!values.empty()) text += fmt::format("      case $before in\n{}      esac\n", values);
  return text + "      ;;\n";
}

// "(-m --model)"{-m,--model}"[The model]:value:_files"
std::string zsh_argument(const CompletionOption& option) {
  const std::string values = option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
  if (option.names.empty()) return quoted(fmt::format("*:{}:{}", escaped(option.description, ":\\"), values));
  const std::string rest = quoted(fmt::format("[{}]{}", escaped(option.description, "[]\\"),
                                              option.has_value ? fmt::format(":value:{}", values) : std::string()));
  if (option.names.size() == 1) return option.names.front() + rest;
  return fmt::format("{}{{{}}}{}", quoted(fmt::format("({})", fmt::join(option.names, " "))),
                     fmt::join(option.names, ","), rest);
}

std::string zsh_arguments(const std::vector<CompletionOption>& options, const std::string& indent) {
  std::string text;
  for (const auto& option : options) text += " \\\n" + indent + zsh_argument(option);
  return text;
}

std::string fish_option(const CompletionOption& option, const std::string& condition) {
  std::string line = fmt::format("complete -c lpot -n {}", quoted(condition));
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    line += fmt::format(" {} -a {}", option.names.empty() ? "-f" : "-x",
                        quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  else if (option.has_value)
    line += " -r -F";
  else if (option.names.empty())
    return "";  // file names are the default
  return fmt::format("{} -d {}\n", line, quoted(option.description));
}

}  // namespace

std::string bash_completion(const CommandLine& line) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const auto& verb : line.verbs) {
    verbs.push_back(verb.name);
    cases += bash_case(verb);
  }
  return fmt::format(R"(# Completion of lpot for bash, printed by `lpot completion bash`.
_lpot() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb='' options='' values='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then verb=${{COMP_WORDS[i]}}; break; fi
  done
  case $verb in
    '')
      values={}
      options={}
      ;;
{}  esac
  if [[ $word == -* ]]; then values=$options; fi
  # Without a reply, readline completes file names.
  COMPREPLY=()
  if [[ -n $values ]]; then mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word"); fi
}}
complete -o default -F _lpot lpot
)",
                     quoted(fmt::format("{}", fmt::join(verbs, " "))), quoted(option_names(line.options)), cases);
}

std::string zsh_completion(const CommandLine& line) {
  std::string verbs, cases;
  for (const auto& verb : line.verbs) {
    verbs += "    " + quoted(fmt::format("{}:{}", verb.name, escaped(verb.description, ":\\"))) + "\n";
    cases += fmt::format("        {}) _arguments{} ;;\n", verb.name, zsh_arguments(verb.options, "          "));
  }
  return fmt::format(R"(#compdef lpot
# Completion of lpot for zsh, printed by `lpot completion zsh`.
_lpot() {{
  local curcontext=$curcontext state line
  local -a verbs=(
{}  )
  _arguments -C{} \
    '1:verb:->verb' '*::argument:->argument'
  case $state in
    verb) _describe verb verbs ;;
    argument)
      case $words[1] in
{}      esac
      ;;
  esac
}}
if [[ $funcstack[1] == _lpot ]]; then _lpot "$@"; else compdef _lpot lpot; fi
)",
                     verbs, zsh_arguments(line.options, "    "), cases);
}

std::string fish_completion(const CommandLine& line) {
  std::string text = "# Completion of lpot for fish, printed by `lpot completion fish`.\n";
  for (const auto& option : line.options) text += fish_option(option, "__fish_use_subcommand");
  for (const auto& verb : line.verbs) {
    text +=
        fmt::format("complete -c lpot -n __fish_use_subcommand -f -a {} -d {}\n", verb.name, quoted(verb.description));
    for (const auto& option : verb.options) text += fish_option(option, "__fish_seen_subcommand_from " + verb.name);
  }
  return text;
}

}  // namespace lpot::cli
