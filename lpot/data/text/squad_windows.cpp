#include "lpot/data/text/squad_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::size_t kSpecialTokens = 3;  // [CLS], [SEP], [SEP]

double context_score(const Window& window, std::size_t token) {
  const std::size_t left = token - window.first, right = window.first + window.count - 1 - token;
  return static_cast<double>(std::min(left, right)) + 0.01 * window.count;
}

bool contains(const Window& window, std::size_t token) {
  return token >= window.first && token < window.first + window.count;
}

}  // namespace

SquadWindows::SquadWindows(Squad squad, const WordPiece& tokenizer, const WindowOptions& options)
    : squad_(std::move(squad)) {
  if (options.doc_stride == 0 || options.max_query_length + kSpecialTokens >= options.max_seq_length)
    throw ConfigError(
        "SQuAD", fmt::format("max_seq_length {}, max_query_length {} and doc_stride {}: expected doc_stride of at "
                             "least 1 and max_seq_length greater than max_query_length + {}",
                             options.max_seq_length, options.max_query_length, options.doc_stride, kSpecialTokens));
  for (const SquadParagraph& paragraph : squad_.paragraphs) contexts_.push_back(tokenizer.tokenize(paragraph.context));
  for (std::size_t i = 0; i < squad_.questions.size(); ++i) {
    std::vector<Token> tokens = tokenizer.tokenize(squad_.questions[i].text);
    if (tokens.size() > options.max_query_length) tokens.resize(options.max_query_length);
    questions_.push_back(std::move(tokens));
    add_windows(i, options.max_seq_length - kSpecialTokens - questions_.back().size(), options.doc_stride);
  }
}

void SquadWindows::add_windows(std::size_t question, std::size_t room, std::size_t stride) {
  const std::size_t tokens = contexts_[squad_.questions[question].paragraph].size();
  const auto before = static_cast<std::uint32_t>(questions_[question].size() + 2);
  for (std::size_t first = 0; first < tokens; first += std::min(room, stride)) {
    const std::size_t count = std::min(room, tokens - first);
    windows_.push_back({static_cast<std::uint32_t>(question), static_cast<std::uint32_t>(first),
                        static_cast<std::uint32_t>(count), before});
    if (first + count == tokens) break;
  }
}

bool SquadWindows::has_most_context(std::size_t number, std::size_t token) const {
  const Window& own = window(number);
  const std::size_t place = own.first + token;
  const double score = context_score(own, place);
  // The windows of a question are consecutive. Of windows with equal context, the first one counts.
  for (std::size_t i = number; i-- > 0 && windows_[i].question == own.question;)
    if (contains(windows_[i], place) && context_score(windows_[i], place) >= score) return false;
  for (std::size_t i = number + 1; i < size() && windows_[i].question == own.question; ++i)
    if (contains(windows_[i], place) && context_score(windows_[i], place) > score) return false;
  return true;
}

std::string SquadWindows::text(const Window& window, std::size_t first, std::size_t last) const {
  const std::vector<Token>& tokens = context_tokens(window);
  const std::size_t begin = tokens.at(window.first + first).begin;
  return squad_.paragraphs[question(window).paragraph].context.substr(begin,
                                                                      tokens.at(window.first + last).end - begin);
}

}  // namespace lpot
