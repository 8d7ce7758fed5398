// Letters of UTF-8 text: what they are, and what they become in lower case and without accents.
//
//   std::string lower_case;
//   for (Letters letters(text); letters.next();)
//     if (!is_control(letters.letter())) append(lower_case, lower(letters.letter()));
//
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lpot {

using Letter = char32_t;

// Goes through the code points of a text. A byte that is no UTF-8 counts as one U+FFFD.
class Letters {
 public:
  explicit Letters(std::string_view text) : text_(text) {}

  bool next();  // to the next letter; false at the end
  Letter letter() const { return letter_; }
  std::size_t begin() const { return begin_; }  // of its bytes in the text
  std::size_t end() const { return end_; }

 private:
  std::string_view text_;
  Letter letter_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

void append(std::string& text, Letter);  // as UTF-8

// Where the first byte stands that no letter of UTF-8 begins with; nothing for a text that is UTF-8 throughout.
std::optional<std::size_t> find_no_utf8(std::string_view);

bool is_space(Letter);         // Unicode's White_Space
bool is_control(Letter);       // controls, format characters and private use; tab and line ends are among them
bool is_punctuation(Letter);   // every category P
bool is_alphanumeric(Letter);  // every category L and N
bool is_accent(Letter);        // marks that take no place of their own (category Mn)
bool is_ideograph(Letter);     // Chinese characters, which Japanese and Korean texts have too

Letter lower(Letter);

// The letter in its parts (NFD): the base and its accents.
std::u32string decomposed(Letter);

}  // namespace lpot
