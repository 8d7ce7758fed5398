#include "lpot/data/text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/text/encoding.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kInside = "##";

fs::path find_vocabulary(const std::string& dataset, const fs::path& path) {
  std::error_code ignored;
  fs::path file = fs::is_directory(path, ignored) ? path / "vocab.txt" : path;
  if (!fs::exists(file, ignored))
    throw DataError(dataset,
                    fmt::format("{}: no such file; expected the model's vocab.txt or its folder", file.string()));
  return file;
}

std::vector<std::string> read_lines(const std::string& dataset, const fs::path& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  check_utf8(dataset, file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::vector<std::string> lines;
  for (auto begin = bytes.begin(); begin != bytes.end();) {
    const auto end = std::find(begin, bytes.end(), '\n');
    std::string line(begin, end);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    lines.push_back(std::move(line));
    begin = end == bytes.end() ? end : end + 1;
  }
  return lines;
}

}  // namespace

Vocabulary::Vocabulary(const std::string& dataset, const fs::path& path)
    : file_(find_vocabulary(dataset, path)), pieces_(read_lines(dataset, file_)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::string_view piece = pieces_[i];
    longest_ = std::max(longest_, piece.size());
    // A repeated piece gets the last id, as in the reference.
    starts_[piece] = static_cast<std::int64_t>(i);
    if (piece.starts_with(kInside)) continuations_[piece.substr(kInside.size())] = static_cast<std::int64_t>(i);
  }
  unknown_ = need(dataset, "[UNK]");
  start_ = need(dataset, "[CLS]");
  separator_ = need(dataset, "[SEP]");
  padding_ = need(dataset, "[PAD]");
}

std::optional<std::int64_t> Vocabulary::find(const Ids& ids, std::string_view piece) {
  const auto found = ids.find(piece);
  return found == ids.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t Vocabulary::need(const std::string& dataset, std::string_view piece) const {
  if (const auto id = begin_of_word(piece)) return *id;
  throw DataError(dataset, fmt::format("{}: none of the {} lines is {}; expected the vocabulary of a BERT model",
                                       file_.string(), pieces_.size(), piece));
}

}  // namespace lpot
