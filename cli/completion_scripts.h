// Shell completion scripts for a command line, as text.
#pragma once
#include <string>
#include <vector>

namespace lpot::cli {

struct CompletionOption {
  std::vector<std::string> names;  // -m, --model; none for a positional argument
  std::string description;
  bool has_value = false;
  std::vector<std::string> choices = {};  // if empty, values are completed as file names
};

struct CompletionVerb {
  std::string name;
  std::string description;
  std::vector<CompletionOption> options;
};

struct CommandLine {
  std::vector<CompletionVerb> verbs;
  std::vector<CompletionOption> options;  // without a verb: --help, --version
};

std::string bash_completion(const CommandLine&);
std::string zsh_completion(const CommandLine&);
std::string fish_completion(const CommandLine&);

}  // namespace lpot::cli
