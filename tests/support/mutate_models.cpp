// Loads damaged copies of models and reports the results: mutate_models SEED COUNT KEEP MODEL[,FILE]...
// MODEL is a path for load_model. FILE is the file of the model to damage. Files that crash the process are stored in
// KEEP.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/model/load_mutants.h"

int main(int count, char** words) {
  if (count < 5) {
    fmt::print(stderr, "usage: mutate_models SEED COUNT KEEP MODEL[,FILE]...\n");
    return 2;
  }
  lpot::MutantOptions options{
      .seed = std::strtoull(words[1], nullptr, 10), .count = std::strtoull(words[2], nullptr, 10), .keep = words[3]};
  bool died = false;
  for (int i = 4; i < count; ++i) {
    const std::string word = words[i];
    const auto comma = word.find(',');
    const std::string model = word.substr(0, comma), file = comma == std::string::npos ? model : word.substr(comma + 1);
    const lpot::Mutants mutants = lpot::load_mutants(model, file, options);
    fmt::print("{}: {} tried, {} loaded, {} refused", file, mutants.tried, mutants.loaded, mutants.refused);
    for (const auto& [how, times] : mutants.died) fmt::print(", {} x {}", times, how);
    fmt::print("\n");
    std::fflush(stdout);
    died = died || !mutants.died.empty();
  }
  return died ? 1 : 0;
}
