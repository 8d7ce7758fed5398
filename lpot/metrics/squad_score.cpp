#include "lpot/metrics/squad_score.h"

#include <algorithm>
#include <map>

#include "lpot/core/error.h"
#include "lpot/core/unicode.h"

namespace lpot {
namespace {

bool is_ascii_punctuation(CodePoint letter) { return letter > ' ' && letter < 0x7f && !is_alphanumeric(letter); }

// As in Python's \w and str.split.
bool is_word(CodePoint letter) { return letter == '_' || is_alphanumeric(letter); }
bool separates(CodePoint letter) { return is_space(letter) || (letter >= 0x1c && letter <= 0x1f); }

std::u32string without_articles(const std::u32string& letters) {
  std::u32string kept;
  for (std::size_t i = 0; i < letters.size();) {
    std::size_t end = i;
    while (end < letters.size() && is_word(letters[end])) ++end;
    if (end == i) {
      kept += letters[i++];
      continue;
    }
    const std::u32string word = letters.substr(i, end - i);
    kept += word == U"a" || word == U"an" || word == U"the" ? std::u32string(U" ") : word;
    i = end;
  }
  return kept;
}

std::vector<std::string> words_of(std::string_view text) {
  std::u32string letters;
  for (CodePoints each(text); each.next();)
    if (!is_ascii_punctuation(each.code_point())) letters += lower(each.code_point());
  std::vector<std::string> words(1);
  for (const CodePoint letter : without_articles(letters)) {
    if (!separates(letter))
      append(words.back(), letter);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

std::string normalize_answer(std::string_view text) {
  std::string joined;
  for (const std::string& word : words_of(text)) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

double answer_f1(std::string_view given, std::string_view expected) {
  const std::vector<std::string> given_words = words_of(given), expected_words = words_of(expected);
  std::map<std::string, int> left;
  for (const std::string& word : expected_words) ++left[word];
  int same = 0;
  for (const std::string& word : given_words)
    if (left[word]-- > 0) ++same;
  if (same == 0) return 0;
  const double precision = static_cast<double>(same) / static_cast<double>(given_words.size());
  const double recall = static_cast<double>(same) / static_cast<double>(expected_words.size());
  return 2 * precision * recall / (precision + recall);
}

bool same_answer(std::string_view given, std::string_view expected) {
  return normalize_answer(given) == normalize_answer(expected);
}

void SquadScore::count(std::string_view given, const std::vector<std::string>& expected) {
  if (expected.empty()) throw DataError("SquadScore", "a question has no expected answer; expected at least one");
  double best = 0;
  bool exact = false;
  for (const std::string& each : expected) {
    best = std::max(best, answer_f1(given, each));
    exact = exact || same_answer(given, each);
  }
  f1_.add(best);
  exact_ += exact ? 1 : 0;
  ++questions_;
}

void SquadScore::merge(const SquadScore& other) {
  f1_.add(other.f1_);
  exact_ += other.exact_;
  questions_ += other.questions_;
}

double SquadScore::f1() const {
  if (questions_ == 0)
    throw DataError("SquadScore", "no questions were evaluated; check that the data set is not empty");
  return static_cast<double>(100 * f1_.value() / static_cast<long double>(questions_));
}

double SquadScore::exact_match() const {
  if (questions_ == 0)
    throw DataError("SquadScore", "no questions were evaluated; check that the data set is not empty");
  return 100.0 * static_cast<double>(exact_) / static_cast<double>(questions_);
}

}  // namespace lpot
