#include "lpot/core/unicode.h"

#include <utf8proc.h>

#include <array>

namespace lpot {
namespace {

constexpr CodePoint kReplacement = 0xfffd;

utf8proc_category_t category(CodePoint letter) { return utf8proc_category(static_cast<utf8proc_int32_t>(letter)); }

bool within(CodePoint letter, CodePoint first, CodePoint last) { return letter >= first && letter <= last; }

}  // namespace

bool CodePoints::next() {
  if (end_ >= text_.size()) return false;
  begin_ = end_;
  const auto lead = static_cast<unsigned char>(text_[begin_]);
  if (lead < 0x80) {
    code_point_ = lead;
    end_ = begin_ + 1;
    return true;
  }
  utf8proc_int32_t found = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text_.data() + begin_);
  const utf8proc_ssize_t length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text_.size() - begin_), &found);
  code_point_ = length > 0 ? static_cast<CodePoint>(found) : kReplacement;
  end_ = begin_ + (length > 0 ? static_cast<std::size_t>(length) : 1);
  return true;
}

void append(std::string& text, CodePoint letter) {
  if (letter < 0x80) {
    text += static_cast<char>(letter);
    return;
  }
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(letter), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    if (bytes[i] < 0x80) {
      ++i;
      continue;
    }
    utf8proc_int32_t letter = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(text.size() - i), &letter);
    if (length <= 0) return i;
    i += static_cast<std::size_t>(length);
  }
  return std::nullopt;
}

bool is_space(CodePoint letter) {
  if (letter < 0x80) return letter == ' ' || within(letter, 0x09, 0x0d);
  const auto kind = category(letter);
  return kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP || letter == 0x85;
}

bool is_control(CodePoint letter) {
  if (letter < 0x80) return letter < 0x20 || letter == 0x7f;
  const auto kind = category(letter);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_CO;
}

bool is_punctuation(CodePoint letter) {
  const auto kind = category(letter);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_alphanumeric(CodePoint letter) {
  const auto kind = category(letter);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) ||
         (kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO);
}

bool is_accent(CodePoint letter) { return letter >= 0x80 && category(letter) == UTF8PROC_CATEGORY_MN; }

bool is_ideograph(CodePoint letter) {
  return within(letter, 0x4e00, 0x9fff) || within(letter, 0x3400, 0x4dbf) || within(letter, 0x20000, 0x2a6df) ||
         within(letter, 0x2a700, 0x2b73f) || within(letter, 0x2b740, 0x2b81f) || within(letter, 0x2b920, 0x2ceaf) ||
         within(letter, 0xf900, 0xfaff) || within(letter, 0x2f800, 0x2fa1f);
}

CodePoint lower(CodePoint letter) {
  if (letter < 0x80) return within(letter, 'A', 'Z') ? letter + 32 : letter;
  return static_cast<CodePoint>(utf8proc_tolower(static_cast<utf8proc_int32_t>(letter)));
}

std::u32string decomposed(CodePoint letter) {
  if (letter < 0xc0) return {letter};
  std::array<utf8proc_int32_t, 16> parts{};
  int boundary = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(letter), parts.data(), parts.size(),
                                             UTF8PROC_DECOMPOSE, &boundary);
  if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size())) return {letter};
  return {parts.begin(), parts.begin() + count};
}

}  // namespace lpot
