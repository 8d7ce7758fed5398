#include "lpot/data/text/wordpiece.h"

#include <nlohmann/json.hpp>

#include "support.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kFolder = LPOT_SOURCE_DIR "/tests/data";

std::shared_ptr<const Vocabulary> vocabulary() {
  return std::make_shared<const Vocabulary>("GLUE", kFolder + "/text/vocab.txt");
}

std::string pieces(const WordPiece& tokenizer, const std::string& text) {
  std::string all;
  for (const Token& token : tokenizer.tokenize(text))
    all += (all.empty() ? "" : " ") + tokenizer.vocabulary().piece(token.id);
  return all;
}

// The expectations were created with the reference by tests/data/make_token_expectations.py.
TEST(WordPiece, MatchesTheReference) {
  const WordPiece lowering(vocabulary()), keeping(vocabulary(), {.lower_case = false});
  std::ifstream file(kFolder + "/expected/tokens.txt");
  std::size_t texts = 0;
  for (std::string line; std::getline(file, line); ++texts) {
    const std::string text = nlohmann::json::parse(line);
    std::string lowered, kept;
    ASSERT_TRUE(std::getline(file, lowered) && std::getline(file, kept));
    EXPECT_EQ(pieces(lowering, text), lowered) << line;
    EXPECT_EQ(pieces(keeping, text), kept) << line;
  }
  EXPECT_EQ(texts, 18u);
}

TEST(WordPiece, TokensHaveThePositionOfTheirBytes) {
  const WordPiece tokenizer(vocabulary());
  const std::string text = "Café \u200bplayed  zß!";
  std::vector<std::string> parts;
  for (const Token& token : tokenizer.tokenize(text))
    parts.push_back(text.substr(token.begin, token.end - token.begin));
  EXPECT_THAT(parts, ElementsAre("Café", "play", "ed", "zß", "!")) << "the fourth is unknown as a whole";
}

TEST(Vocabulary, IsFoundInItsFolder) {
  EXPECT_EQ(Vocabulary("GLUE", kFolder + "/text").size(), vocabulary()->size());
  EXPECT_EQ(vocabulary()->start(), 2);
}

TEST(Vocabulary, AcceptsWindowsLineEnds) {
  TempFolder folder;
  const Vocabulary read("GLUE", folder.write("vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\nplay\r\n##ing"));
  EXPECT_EQ(read.size(), 6u);
  EXPECT_EQ(read.begin_of_word("play"), 4);
  EXPECT_EQ(read.inside_word("ing"), 5);
  EXPECT_EQ(read.inside_word("play"), std::nullopt);
}

TEST(Vocabulary, ReportsThePathOfAMissingFile) {
  TempFolder folder;
  EXPECT_THAT(message_of<DataError>([&] { Vocabulary("GLUE", folder.path()); }),
              HasSubstr((folder / "vocab.txt").string() + ": no such file; expected the model's vocab.txt"));
}

TEST(Vocabulary, ReportsTheLineThatIsNotUtf8) {
  TempFolder folder;
  const std::string path = folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncaf\xe9\n");
  EXPECT_THAT(message_of<DataError>([&] { Vocabulary("GLUE", path); }),
              HasSubstr(path + ":5: byte 4 of the line, 0xe9, is not UTF-8"));
}

TEST(Vocabulary, RejectsTheVocabularyOfAnotherModel) {
  TempFolder folder;
  const std::string path = folder.write("vocab.txt", "<s>\n</s>\nplay\n");
  EXPECT_THAT(message_of<DataError>([&] { Vocabulary("GLUE", path); }),
              HasSubstr(path + ": none of the 3 lines is [UNK]; expected the vocabulary of a BERT model"));
}

}  // namespace
}  // namespace lpot
