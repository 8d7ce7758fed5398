#include "lpot/data/text/squad.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"
#include "lpot/data/text/encoding.h"

namespace lpot {
namespace {

class Reader {
 public:
  Reader(std::string dataset, const std::filesystem::path& path)
      : dataset_(std::move(dataset)), path_(path), bytes_(read_file(path)) {}

  Squad read() {
    const Json file = parse();
    for (const Json& article : list(file, "data", "")) {
      const std::string title = title_of(article);
      for (const Json& paragraph : list(article, "paragraphs", title)) {
        squad_.paragraphs.push_back({title, text(paragraph, "context", title)});
        for (const Json& question : list(paragraph, "qas", title)) read_question(question, title);
      }
    }
    if (squad_.questions.empty())
      fail("", "the file contains no questions; expected the format of SQuAD's dev-v1.1.json");
    return std::move(squad_);
  }

 private:
  Json parse() const {
    check_utf8(dataset_, path_, {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
    try {
      return Json::parse(bytes_.begin(), bytes_.end());
    } catch (const Json::parse_error& error) {
      const std::size_t at = std::min(error.byte, bytes_.size());
      throw DataError(dataset_,
                      fmt::format("{}:{}: invalid JSON: {}", path_.string(), line_at(at), sentence(error.what())));
    } catch (const Json::exception& error) {  // a number that exceeds a double
      throw DataError(dataset_, fmt::format("{}: invalid JSON: {}", path_.string(), sentence(error.what())));
    }
  }

  static std::string title_of(const Json& article) {
    if (!article.is_object()) return "";
    const auto title = article.find("title");
    return title != article.end() && title->is_string() ? title->get<std::string>() : "";
  }

  void read_question(const Json& question, const std::string& title) {
    const std::string id = text(question, "id", title);
    SquadQuestion read{id, text(question, "question", id), {}, squad_.paragraphs.size() - 1};
    for (const Json& answer : list(question, "answers", id)) read.answers.push_back(text(answer, "text", id));
    if (read.answers.empty())
      fail(id, fmt::format("the question {} has no answers; expected at least one. Questions without answers (SQuAD "
                           "2.0) are not supported",
                           id));
    if (!ids_.insert(id).second) fail(id, fmt::format("the question {} occurs twice; expected unique ids", id));
    squad_.questions.push_back(std::move(read));
  }

  // `near` is a text close to the error, used to find its line.
  const Json& list(const Json& parent, const char* key, const std::string& near) const {
    if (!parent.is_object() || !parent.contains(key) || !parent.at(key).is_array())
      fail(near, fmt::format("{}expected a list '{}', as in SQuAD's dev-v1.1.json",
                             near.empty() ? "" : fmt::format("'{}': ", near), key));
    return parent.at(key);
  }

  std::string text(const Json& parent, const char* key, const std::string& near) const {
    if (!parent.is_object() || !parent.contains(key) || !parent.at(key).is_string())
      fail(near, fmt::format("'{}': expected a text '{}', as in SQuAD's dev-v1.1.json", near, key));
    return parent.at(key);
  }

  [[noreturn]] void fail(const std::string& near, const std::string& message) const {
    const std::string quoted = Json(near).dump();
    const auto found = std::search(bytes_.begin(), bytes_.end(), quoted.begin(), quoted.end());
    const auto at = near.empty() || found == bytes_.end() ? 0 : found - bytes_.begin();
    throw DataError(dataset_, fmt::format("{}:{}: {}", path_.string(), line_at(static_cast<std::size_t>(at)), message));
  }

  std::size_t line_at(std::size_t byte) const {
    return 1 + static_cast<std::size_t>(
                   std::count(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
  }

  // The message of the JSON parser without its prefix.
  static std::string sentence(const std::string& message) {
    const auto colon = message.find(": ");
    return colon == std::string::npos ? message : message.substr(colon + 2);
  }

  std::string dataset_;
  std::filesystem::path path_;
  std::vector<std::uint8_t> bytes_;
  Squad squad_;
  std::set<std::string> ids_;
};

}  // namespace

Squad read_squad(const std::string& dataset, const std::filesystem::path& path) { return Reader(dataset, path).read(); }

}  // namespace lpot
