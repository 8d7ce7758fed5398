// Checks that text files are UTF-8. The reference tokenizers drop other bytes or stop. A file in another encoding would
// give other tokens, and thus another accuracy, without a warning.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace lpot {

// Throws DataError with the operation `dataset` and the file and line of the first byte that is not UTF-8.
void check_utf8(const std::string& dataset, const std::filesystem::path&, std::string_view bytes);

}  // namespace lpot
