// Loads damaged copies of models and prints the outcomes: mutate_models SEED COUNT CRASH_FOLDER MODEL[,FILE]...
// MODEL is a path for load_model. FILE is the file of the model to damage. Files that crash a process are stored in
// CRASH_FOLDER.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/model/load_mutants.h"

int main(int count, char** words) {
  if (count < 5) {
    fmt::print(stderr, "usage: mutate_models SEED COUNT CRASH_FOLDER MODEL[,FILE]...\n");
    return 2;
  }
  lpot::MutantOptions options{.seed = std::strtoull(words[1], nullptr, 10),
                              .count = std::strtoull(words[2], nullptr, 10),
                              .crash_folder = words[3]};
  bool crashed = false;
  for (int i = 4; i < count; ++i) {
    const std::string word = words[i];
    const auto comma = word.find(',');
    const std::string model = word.substr(0, comma), file = comma == std::string::npos ? model : word.substr(comma + 1);
    const lpot::Mutants mutants = lpot::load_mutants(model, file, options);
    fmt::print("{}: {} tried, {} loaded, {} rejected", file, mutants.tried, mutants.loaded, mutants.rejected);
    for (const auto& [how, times] : mutants.crashed) fmt::print(", {} x {}", times, how);
    fmt::print("\n");
    std::fflush(stdout);
    crashed = crashed || !mutants.crashed.empty();
  }
  return crashed ? 1 : 0;
}
