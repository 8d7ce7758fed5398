// Loads damaged copies of a model, each in a child process, and counts the outcomes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lpot {

struct Mutants {
  std::size_t tried = 0;
  std::size_t loaded = 0;                      // the damage had no effect on loading
  std::size_t rejected = 0;                    // with a ModelError
  std::map<std::string, std::size_t> crashed;  // count by cause: "signal 11", "exception: ..."
  std::vector<std::filesystem::path> stored;   // copies of the files that crashed, in `crash_folder`
};

struct MutantOptions {
  std::uint64_t seed = 1;
  std::size_t count = 100;
  std::filesystem::path crash_folder = {};  // for files that crash; empty: they are not stored
  std::size_t memory_mb = 8192;             // limit of the child's address space
  unsigned seconds = 120;                   // limit of the child's CPU time
};

// `file` is the file to damage of the model at `path`. They only differ for SavedModels and for the .bin of IR.
Mutants load_mutants(const std::filesystem::path& path, const std::filesystem::path& file, const MutantOptions&);

}  // namespace lpot
