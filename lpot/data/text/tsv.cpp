#include "lpot/data/text/tsv.h"

#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/text/encoding.h"

namespace lpot {

TsvFile::TsvFile(std::string dataset, const std::filesystem::path& path) : dataset_(std::move(dataset)), path_(path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  bytes_.assign(bytes.begin(), bytes.end());
  std::string_view rest(bytes_.data(), bytes_.size());
  check_utf8(dataset_, path_, rest);
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::vector<std::string_view> TsvFile::fields(std::size_t line) const {
  std::vector<std::string_view> all;
  std::string_view rest = lines_.at(line);
  for (std::size_t tab = rest.find('\t'); tab != std::string_view::npos; tab = rest.find('\t')) {
    all.push_back(rest.substr(0, tab));
    rest.remove_prefix(tab + 1);
  }
  all.push_back(rest);
  return all;
}

void TsvFile::fail(std::size_t line, const std::string& message) const {
  throw DataError(dataset_, fmt::format("{}:{}: {}", path_.string(), line + 1, message));
}

}  // namespace lpot
