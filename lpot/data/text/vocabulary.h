// The vocabulary of a BERT model: vocab.txt with one word piece per line. The line number is the id.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lpot {

class Vocabulary {
 public:
  // Reads a vocab.txt; the path may be its folder. Throws DataError with the operation `dataset` if the file is
  // missing, is not UTF-8 or lacks the special tokens of BERT.
  Vocabulary(const std::string& dataset, const std::filesystem::path&);
  Vocabulary(Vocabulary&&) noexcept = default;

  const std::filesystem::path& file() const { return file_; }
  std::size_t size() const { return pieces_.size(); }
  const std::string& piece(std::int64_t id) const { return pieces_.at(static_cast<std::size_t>(id)); }

  // The id of a piece at the start of a word, or inside a word ("##ing", passed without "##").
  std::optional<std::int64_t> begin_of_word(std::string_view piece) const { return find(starts_, piece); }
  std::optional<std::int64_t> inside_word(std::string_view piece) const { return find(continuations_, piece); }
  std::size_t longest_piece() const { return longest_; }  // in bytes

  std::int64_t unknown() const { return unknown_; }  // [UNK]
  std::int64_t start() const { return start_; }      // [CLS]
  std::int64_t separator() const { return separator_; }
  std::int64_t padding() const { return padding_; }

 private:
  using Ids = std::unordered_map<std::string_view, std::int64_t>;  // into pieces_
  static std::optional<std::int64_t> find(const Ids&, std::string_view);
  std::int64_t need(const std::string& dataset, std::string_view piece) const;

  std::filesystem::path file_;
  std::vector<std::string> pieces_;
  Ids starts_;
  Ids continuations_;
  std::size_t longest_ = 0;
  std::int64_t unknown_ = 0, start_ = 0, separator_ = 0, padding_ = 0;
};

}  // namespace lpot
