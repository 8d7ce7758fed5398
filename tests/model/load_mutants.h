// Loads damaged copies of a model, each in a child process, and counts how that ends.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lpot {

struct Mutants {
  std::size_t tried = 0;
  std::size_t loaded = 0;                   // the damage hurt nothing that is read
  std::size_t refused = 0;                  // by a ModelError
  std::map<std::string, std::size_t> died;  // "signal 11", "exception: ...": how often
  std::vector<std::filesystem::path> kept;  // files that died, in `keep`
};

struct MutantOptions {
  std::uint64_t seed = 1;
  std::size_t count = 100;
  std::filesystem::path keep = {};  // folder for those that die; empty: none are kept
  std::size_t memory_mb = 8192;     // of the child's address space
  unsigned seconds = 120;           // of the child's processor time
};

// `file` is one of the files of the model at `path` (both are the same but for SavedModels and the .bin of IR).
Mutants load_mutants(const std::filesystem::path& path, const std::filesystem::path& file, const MutantOptions&);

}  // namespace lpot
