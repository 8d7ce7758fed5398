// Iterates over the code points of UTF-8 text, classifies them, converts them to lower case and decomposes accents.
//
//   std::string lower_case;
//   for (CodePoints points(text); points.next();)
//     if (!is_control(points.code_point())) append(lower_case, lower(points.code_point()));
//
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lpot {

using CodePoint = char32_t;

// Iterates over the code points of a text. Each invalid byte counts as one U+FFFD.
class CodePoints {
 public:
  explicit CodePoints(std::string_view text) : text_(text) {}

  bool next();  // moves to the next code point; false at the end
  CodePoint code_point() const { return code_point_; }
  std::size_t begin() const { return begin_; }  // position of its first byte in the text
  std::size_t end() const { return end_; }

 private:
  std::string_view text_;
  CodePoint code_point_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

void append(std::string& text, CodePoint);  // as UTF-8

// The position of the first invalid byte; nullopt if the text is valid UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view);

bool is_space(CodePoint);         // Unicode's White_Space
bool is_control(CodePoint);       // controls, format characters and private use; tab and line ends are among them
bool is_punctuation(CodePoint);   // every category P
bool is_alphanumeric(CodePoint);  // every category L and N
bool is_accent(CodePoint);        // non-spacing marks (category Mn)
bool is_ideograph(CodePoint);     // CJK ideographs

CodePoint lower(CodePoint);

// The canonical decomposition (NFD): the base letter and its accents.
std::u32string decomposed(CodePoint);

}  // namespace lpot
