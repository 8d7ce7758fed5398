// The cache of models that were loaded in a sandbox before without harm. A model in the cache is not checked again.
//
//   const std::filesystem::path cache = default_trusted_models();
//   if (!is_trusted(cache, key)) { check_in_sandbox(); trust(cache, key); }
//
// A key must be a cryptographic hash of everything that is loaded. Whoever can build a second model with the same key
// can skip the sandbox.
#pragma once
#include <filesystem>
#include <string>

namespace lpot {

// LPOT_MODEL_MEMORY if it is set ("off" gives ""), else models.txt in $XDG_CACHE_HOME/lpot or ~/.cache/lpot.
std::filesystem::path default_trusted_models();

// Neither function throws. If the cache cannot be read, no model is trusted. If it cannot be written, the model is
// checked again next time. An empty path means no cache.
bool is_trusted(const std::filesystem::path& cache, const std::string& key);
void trust(const std::filesystem::path& cache, const std::string& key);

}  // namespace lpot
