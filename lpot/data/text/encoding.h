// Text files are UTF-8. The reference tokenizers drop what is not, or stop; a file in another encoding would quietly
// give other tokens, and so another accuracy.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace lpot {

// Throws DataError in the name of `dataset` with file and line of the first byte that is no UTF-8.
void check_utf8(const std::string& dataset, const std::filesystem::path&, std::string_view bytes);

}  // namespace lpot
