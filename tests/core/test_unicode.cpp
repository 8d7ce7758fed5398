#include "lpot/core/unicode.h"

#include <gmock/gmock.h>

namespace lpot {
namespace {

TEST(CodePoints, ReportTheirBytePositions) {
  CodePoints letters("aé漢");
  ASSERT_TRUE(letters.next() && letters.next());
  EXPECT_EQ(letters.code_point(), U'é');
  EXPECT_EQ(letters.begin(), 1u);
  EXPECT_EQ(letters.end(), 3u);
  ASSERT_TRUE(letters.next());
  EXPECT_EQ(letters.code_point(), U'漢');
  EXPECT_FALSE(letters.next());
}

TEST(CodePoints, InvalidBytesBecomeOneReplacementEach) {
  const std::string damaged = "a\xff\xc3";  // not a lead byte; a lead byte without its continuation
  std::u32string found;
  for (CodePoints letters(damaged); letters.next();) found += letters.code_point();
  EXPECT_EQ(found, (std::u32string{U'a', 0xfffd, 0xfffd}));
}

TEST(Unicode, FindsTheFirstInvalidByte) {
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80\n"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("caf\xe9 au lait"), 3u) << "Latin 1";
  EXPECT_EQ(find_invalid_utf8("caf\xc3"), 3u) << "truncated";
  EXPECT_EQ(find_invalid_utf8("\xff\xfe[\0"), 0u) << "UTF-16";
  EXPECT_EQ(find_invalid_utf8("a\xc0\x80"), 1u) << "overlong encoding";
  EXPECT_EQ(find_invalid_utf8("a\xed\xa0\x80"), 1u) << "surrogate";
}

TEST(CodePoints, AreAppendedAsTheyWereRead) {
  const std::string text = "naïve 漢字 😀";
  std::string written;
  for (CodePoints letters(text); letters.next();) append(written, letters.code_point());
  EXPECT_EQ(written, text);
}

TEST(Unicode, ClassifiesCodePoints) {
  EXPECT_TRUE(is_space(0x3000) && is_space(0xa0) && is_space('\v') && !is_space(0x200b));
  EXPECT_TRUE(is_control('\t') && is_control(0x200b) && is_control(0x85) && !is_control('a'));
  EXPECT_TRUE(is_punctuation(U'—') && is_punctuation(U'¿') && !is_punctuation('$'));
  EXPECT_TRUE(is_alphanumeric(U'ß') && is_alphanumeric(U'½') && !is_alphanumeric('_'));
  EXPECT_TRUE(is_accent(0x301) && !is_accent(U'é'));
  EXPECT_TRUE(is_ideograph(U'漢') && !is_ideograph(U'か'));
}

TEST(Unicode, ConvertsToLowerCaseAndDecomposes) {
  EXPECT_EQ(lower(U'Σ'), U'σ');
  EXPECT_EQ(lower(U'1'), U'1');
  EXPECT_EQ(decomposed(U'é'), (std::u32string{U'e', 0x301}));
  EXPECT_EQ(decomposed(U'ệ'), (std::u32string{U'e', 0x323, 0x302}));
  EXPECT_EQ(decomposed(U'x'), U"x");
}

}  // namespace
}  // namespace lpot
