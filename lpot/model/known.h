// Models that were read without harm before, by their fingerprints: reading them in a copy of the process once more
// would only take time.
#pragma once
#include <filesystem>
#include <string>

namespace lpot {

// models.txt in the user's cache folder ($XDG_CACHE_HOME/lpot or ~/.cache/lpot); another file where LPOT_MODEL_MEMORY
// names one, none ("") where it is "off".
std::filesystem::path default_known_models();

// `model` tells models apart, and what reads them. Neither fails: what cannot be read is not known, what cannot be
// written is not remembered.
bool is_known(const std::filesystem::path& file, const std::string& model);
void remember(const std::filesystem::path& file, const std::string& model);

}  // namespace lpot
