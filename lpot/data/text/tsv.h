// Lines of tab-separated fields, as GLUE's files have them: quotation marks are letters like all others, a byte order
// mark in front and carriage returns at the ends of lines are left out.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

class TsvFile {
 public:
  // Throws DataError in the name of `dataset`: missing, or no UTF-8.
  TsvFile(std::string dataset, const std::filesystem::path&);
  TsvFile(TsvFile&&) noexcept = default;

  std::size_t size() const { return lines_.size(); }
  std::vector<std::string_view> fields(std::size_t line) const;  // from 0

  // A DataError about a line: "dev.tsv:17: ...".
  [[noreturn]] void fail(std::size_t line, const std::string& message) const;

 private:
  std::string dataset_;
  std::filesystem::path path_;
  std::vector<char> bytes_;
  std::vector<std::string_view> lines_;
};

}  // namespace lpot
