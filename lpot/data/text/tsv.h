// Reads tab-separated files in the format of GLUE. Quotation marks have no special meaning. A byte order mark at the
// start and carriage returns at line ends are removed.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

class TsvFile {
 public:
  // Throws DataError with the operation `dataset` if the file is missing or not UTF-8.
  TsvFile(std::string dataset, const std::filesystem::path&);
  TsvFile(TsvFile&&) noexcept = default;

  std::size_t size() const { return lines_.size(); }
  std::string_view line(std::size_t line) const { return lines_.at(line); }
  std::vector<std::string_view> fields(std::size_t line) const;  // from 0

  // Throws a DataError about a line: "dev.tsv:17: ...".
  [[noreturn]] void fail(std::size_t line, const std::string& message) const;

 private:
  std::string dataset_;
  std::filesystem::path path_;
  std::vector<char> bytes_;
  std::vector<std::string_view> lines_;
};

}  // namespace lpot
