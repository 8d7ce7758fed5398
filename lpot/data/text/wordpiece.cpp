#include "lpot/data/text/wordpiece.h"

#include <algorithm>

#include "lpot/core/unicode.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxWordLength = 100;  // in characters

bool is_line_space(CodePoint letter) { return letter == '\t' || letter == '\n' || letter == '\r'; }

bool is_dropped(CodePoint letter) {
  return letter == 0 || letter == 0xfffd || (!is_line_space(letter) && is_control(letter));
}

// All ASCII symbols ($, +, ~, ...) count as punctuation, also those that are not in Unicode's punctuation categories.
bool splits(CodePoint letter) {
  if (letter < 0x80) return letter > ' ' && letter < 0x7f && !is_alphanumeric(letter);
  return is_punctuation(letter);
}

// Collects the characters of a word and splits the word into pieces when it ends.
class WordSplitter {
 public:
  WordSplitter(const Vocabulary& vocabulary, std::vector<Token>& tokens) : vocabulary_(vocabulary), tokens_(tokens) {}

  void add(CodePoint letter, std::size_t begin, std::size_t end) {
    places_.push_back({word_.size(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    append(word_, letter);
  }

  void end_word() {
    if (places_.empty()) return;
    if (places_.size() > kMaxWordLength || !cut()) {
      tokens_.resize(tokens_before_);
      tokens_.push_back({vocabulary_.unknown(), places_.front().begin, places_.back().end});
    }
    word_.clear();
    places_.clear();
    tokens_before_ = tokens_.size();
  }

 private:
  struct Place {
    std::size_t at;  // in the word
    std::uint32_t begin, end;
  };

  // False if no piece matches the rest of the word.
  bool cut() {
    for (std::size_t first = 0; first < places_.size();) {
      std::size_t last = places_.size();
      std::optional<std::int64_t> id;
      for (; last > first; --last) {
        const std::size_t bytes = (last < places_.size() ? places_[last].at : word_.size()) - places_[first].at;
        if (bytes > vocabulary_.longest_piece()) continue;
        const std::string_view piece = std::string_view(word_).substr(places_[first].at, bytes);
        id = first == 0 ? vocabulary_.begin_of_word(piece) : vocabulary_.inside_word(piece);
        if (id) break;
      }
      if (!id) return false;
      tokens_.push_back({*id, places_[first].begin, places_[last - 1].end});
      first = last;
    }
    return true;
  }

  const Vocabulary& vocabulary_;
  std::vector<Token>& tokens_;
  std::size_t tokens_before_ = 0;
  std::string word_;
  std::vector<Place> places_;
};

}  // namespace

std::vector<Token> WordPiece::tokenize(std::string_view text) const {
  std::vector<Token> tokens;
  WordSplitter splitter(*vocabulary_, tokens);
  for (CodePoints letters(text); letters.next();) {
    const auto add = [&](CodePoint letter) {
      const bool alone = splits(letter);
      if (alone || is_space(letter)) splitter.end_word();
      if (!is_space(letter)) splitter.add(letter, letters.begin(), letters.end());
      if (alone) splitter.end_word();
    };
    const CodePoint letter = letters.code_point();
    if (is_dropped(letter)) continue;
    const bool ideograph = is_ideograph(letter);
    if (ideograph) splitter.end_word();
    if (!options_.lower_case) {
      add(letter);
    } else if (letter < 0x80) {
      add(lower(letter));
    } else {
      for (const CodePoint part : decomposed(letter))
        if (!is_accent(part)) add(lower(part));
    }
    if (ideograph) splitter.end_word();
  }
  splitter.end_word();
  return tokens;
}

}  // namespace lpot
