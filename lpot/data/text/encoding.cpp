#include "lpot/data/text/encoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/unicode.h"

namespace lpot {

void check_utf8(const std::string& dataset, const std::filesystem::path& path, std::string_view bytes) {
  const auto place = find_invalid_utf8(bytes);
  if (!place) return;
  const std::string_view before = bytes.substr(0, *place);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') + 1;  // 0 if there is none
  throw DataError(dataset,
                  fmt::format("{}:{}: byte {} of the line, {:#04x}, is not UTF-8. If the file has another encoding, "
                              "convert it, for example: iconv -f LATIN1 -t UTF-8",
                              path.string(), line, *place - start + 1, static_cast<unsigned char>(bytes[*place])));
}

}  // namespace lpot
