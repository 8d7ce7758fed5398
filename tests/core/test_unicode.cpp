#include "lpot/core/unicode.h"

#include <gmock/gmock.h>

namespace lpot {
namespace {

TEST(Letters, KnowTheirBytes) {
  Letters letters("aé漢");
  ASSERT_TRUE(letters.next() && letters.next());
  EXPECT_EQ(letters.letter(), U'é');
  EXPECT_EQ(letters.begin(), 1u);
  EXPECT_EQ(letters.end(), 3u);
  ASSERT_TRUE(letters.next());
  EXPECT_EQ(letters.letter(), U'漢');
  EXPECT_FALSE(letters.next());
}

TEST(Letters, BytesThatAreNoTextAreOneReplacementEach) {
  const std::string damaged = "a\xff\xc3";  // no lead byte; a lead byte without its tail
  std::u32string found;
  for (Letters letters(damaged); letters.next();) found += letters.letter();
  EXPECT_EQ(found, (std::u32string{U'a', 0xfffd, 0xfffd}));
}

TEST(Unicode, FindsTheFirstByteThatIsNoUtf8) {
  EXPECT_EQ(find_no_utf8(""), std::nullopt);
  EXPECT_EQ(find_no_utf8("caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80\n"), std::nullopt);
  EXPECT_EQ(find_no_utf8("caf\xe9 au lait"), 3u) << "Latin 1";
  EXPECT_EQ(find_no_utf8("caf\xc3"), 3u) << "cut";
  EXPECT_EQ(find_no_utf8("\xff\xfe[\0"), 0u) << "UTF-16";
  EXPECT_EQ(find_no_utf8("a\xc0\x80"), 1u) << "longer than it need be";
  EXPECT_EQ(find_no_utf8("a\xed\xa0\x80"), 1u) << "half a pair of UTF-16";
}

TEST(Letters, AreWrittenAsTheyWereRead) {
  const std::string text = "naïve 漢字 😀";
  std::string written;
  for (Letters letters(text); letters.next();) append(written, letters.letter());
  EXPECT_EQ(written, text);
}

TEST(Unicode, TellsKindsOfLettersApart) {
  EXPECT_TRUE(is_space(0x3000) && is_space(0xa0) && is_space('\v') && !is_space(0x200b));
  EXPECT_TRUE(is_control('\t') && is_control(0x200b) && is_control(0x85) && !is_control('a'));
  EXPECT_TRUE(is_punctuation(U'—') && is_punctuation(U'¿') && !is_punctuation('$'));
  EXPECT_TRUE(is_alphanumeric(U'ß') && is_alphanumeric(U'½') && !is_alphanumeric('_'));
  EXPECT_TRUE(is_accent(0x301) && !is_accent(U'é'));
  EXPECT_TRUE(is_ideograph(U'漢') && !is_ideograph(U'か'));
}

TEST(Unicode, LowersAndTakesApart) {
  EXPECT_EQ(lower(U'Σ'), U'σ');
  EXPECT_EQ(lower(U'1'), U'1');
  EXPECT_EQ(decomposed(U'é'), (std::u32string{U'e', 0x301}));
  EXPECT_EQ(decomposed(U'ệ'), (std::u32string{U'e', 0x323, 0x302}));
  EXPECT_EQ(decomposed(U'x'), U"x");
}

}  // namespace
}  // namespace lpot
