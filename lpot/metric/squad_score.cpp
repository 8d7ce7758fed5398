#include "lpot/metric/squad_score.h"

#include <algorithm>
#include <map>

#include "lpot/core/error.h"

namespace lpot {
namespace {

using Letter = char32_t;

std::u32string decode(std::string_view text) {
  std::u32string letters;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    Letter letter = length == 1 ? lead : lead & (0x7fu >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
      letter = letter << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fu);
    letters.push_back(letter);
    i += length;
  }
  return letters;
}

void append(std::string& text, Letter letter) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (letter >> shift & 0x3f)); };
  if (letter < 0x80) {
    text += static_cast<char>(letter);
  } else if (letter < 0x800) {
    text += static_cast<char>(0xc0 | letter >> 6);
    tail(0);
  } else if (letter < 0x10000) {
    text += static_cast<char>(0xe0 | letter >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | (letter >> 18 & 0x07));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool within(Letter letter, Letter first, Letter last) { return letter >= first && letter <= last; }

Letter lower_letter(Letter letter) {
  if (within(letter, 'A', 'Z') || (within(letter, 0xc0, 0xde) && letter != 0xd7) || within(letter, 0x391, 0x3a9) ||
      within(letter, 0x410, 0x42f))
    return letter + 32;
  if (within(letter, 0x400, 0x40f)) return letter + 80;
  if (letter == 0x178) return 0xff;
  if (within(letter, 0x139, 0x148) || within(letter, 0x179, 0x17e)) return letter + (letter & 1);
  if (within(letter, 0x100, 0x177) && letter != 0x130 && letter != 0x131 && letter != 0x138) return letter | 1;
  if (within(letter, 0x1e00, 0x1e95) || within(letter, 0x1ea0, 0x1eff)) return letter | 1;
  if (letter == 0x386) return 0x3ac;
  if (within(letter, 0x388, 0x38a)) return letter + 37;
  if (letter == 0x38c) return 0x3cc;
  if (letter == 0x38e || letter == 0x38f) return letter + 63;
  return letter;
}

bool is_punctuation(Letter letter) {
  return within(letter, '!', '/') || within(letter, ':', '@') || within(letter, '[', '`') || within(letter, '{', '~');
}

bool is_space(Letter letter) {
  return within(letter, 0x09, 0x0d) || within(letter, 0x1c, 0x20) || letter == 0x85 || letter == 0xa0 ||
         letter == 0x1680 || within(letter, 0x2000, 0x200a) || letter == 0x2028 || letter == 0x2029 ||
         letter == 0x202f || letter == 0x205f || letter == 0x3000;
}

// Letters and digits, as Python's \w has them; what stands between words beyond ASCII is punctuation and symbols.
bool is_word(Letter letter) {
  if (letter < 0x80)
    return within(letter, '0', '9') || within(letter, 'A', 'Z') || within(letter, 'a', 'z') || letter == '_';
  if (letter < 0xc0)
    return letter == 0xaa || letter == 0xb2 || letter == 0xb3 || letter == 0xb5 || within(letter, 0xb9, 0xba) ||
           within(letter, 0xbc, 0xbe);
  return letter != 0xd7 && letter != 0xf7 && !within(letter, 0x2000, 0x206f) && !within(letter, 0x20a0, 0x20cf) &&
         !within(letter, 0x2190, 0x245f) && !within(letter, 0x2500, 0x2bff) && !within(letter, 0x3000, 0x3004) &&
         !within(letter, 0x3008, 0x3020);
}

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
  for (const Letter letter : decode(text))
    if (!is_punctuation(letter)) letters += lower_letter(letter);
  std::vector<std::string> words(1);
  for (const Letter letter : without_articles(letters)) {
    if (!is_space(letter))
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
  if (expected.empty()) throw DataError("SquadScore", "a question has no expected answer");
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
  if (questions_ == 0) throw DataError("SquadScore", "no questions were counted; is the data set empty?");
  return static_cast<double>(100 * f1_.value() / static_cast<long double>(questions_));
}

double SquadScore::exact_match() const {
  if (questions_ == 0) throw DataError("SquadScore", "no questions were counted; is the data set empty?");
  return 100.0 * static_cast<double>(exact_) / static_cast<double>(questions_);
}

}  // namespace lpot
