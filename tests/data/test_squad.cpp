#include "lpot/data/text/squad_answer.h"
#include "support.h"
#include "tests/support/squad.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SquadFile : public ::testing::Test {
 protected:
  SquadWindows windows(const WindowOptions& options = {}) const {
    return SquadWindows(read_squad("bert", path_), WordPiece(std::make_shared<const Vocabulary>("bert", vocabulary_)),
                        options);
  }

  std::string error_of(const std::string& json) const {
    const std::string path = folder_.write("bad.json", json);
    return message_of<DataError>([&] { read_squad("bert", path); });
  }

  // Logits of a window: 0 except at these positions.
  static std::vector<float> logits(std::size_t length, const std::map<std::size_t, float>& high) {
    std::vector<float> values(length, 0);
    for (const auto& [place, value] : high) values.at(place) = value;
    return values;
  }

  TempFolder folder_;
  std::string vocabulary_ = write_vocabulary(folder_);
  std::string path_ = folder_.write("dev.json", kSquad);
};

TEST_F(SquadFile, HasQuestionsWithParagraphsAndAnswers) {
  const Squad squad = read_squad("bert", path_);
  ASSERT_EQ(squad.questions.size(), 3u);
  EXPECT_EQ(squad.questions[1].id, "q2");
  EXPECT_THAT(squad.questions[1].answers, ElementsAre("Normandy", "in Normandy"));
  EXPECT_EQ(squad.paragraphs[squad.questions[2].paragraph].title, "Letters");
}

TEST_F(SquadFile, HasOneWindowForAShortParagraph) {
  const SquadWindows all = windows();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.window(0).before, 6u) << "[CLS] who was duke ? [SEP]";
  EXPECT_EQ(all.window(0).count, 10u);
  EXPECT_EQ(all.text(all.window(0), 3, 5), "Duke of Normandy") << "the exact text of the paragraph";
}

TEST_F(SquadFile, HasSeveralWindowsForALongParagraph) {
  // Room for 9 - 3 - 1 = 5 of the 8 letters.
  const SquadWindows all = windows({.max_seq_length = 9, .doc_stride = 2, .max_query_length = 5});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  std::size_t first = all.size();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all.question(all.window(i)).id == "q3") {
      first = std::min(first, i);
      places.emplace_back(all.window(i).first, all.window(i).count);
    }
  EXPECT_THAT(places, ElementsAre(std::pair(0u, 5u), std::pair(2u, 5u), std::pair(4u, 4u)));
  // d: place 3 of the first (1 to its right), 1 of the second (1 to its left), so the first of equals.
  EXPECT_TRUE(all.has_most_context(first, 3));
  EXPECT_FALSE(all.has_most_context(first + 1, 1));
  // e: in the middle of the second.
  EXPECT_FALSE(all.has_most_context(first, 4));
  EXPECT_TRUE(all.has_most_context(first + 1, 2));
  EXPECT_FALSE(all.has_most_context(first + 2, 0));
}

TEST_F(SquadFile, TruncatesLongQuestions) {
  EXPECT_EQ(windows({.max_seq_length = 30, .doc_stride = 8, .max_query_length = 2}).window(0).before, 4u);
}

TEST_F(SquadFile, RejectsLengthsThatAreTooSmall) {
  EXPECT_THAT(message_of<ConfigError>([&] { windows({.max_seq_length = 12, .doc_stride = 8, .max_query_length = 9}); }),
              HasSubstr("max_seq_length 12, max_query_length 9 and doc_stride 8"));
}

TEST_F(SquadFile, AnswersWithTheMostLikelyTokens) {
  const SquadWindows all = windows();
  const SquadAnswer answer = best_answer(all, 0, logits(20, {{6, 3.0f}, {9, 2.0f}}), logits(20, {{7, 4.0f}}));
  EXPECT_EQ(answer.text, "The man");
  EXPECT_EQ(answer.score, 7.0);
}

TEST_F(SquadFile, IgnoresTokensOutsideTheParagraph) {
  const SquadWindows all = windows();
  // [CLS] and a place of the padding are the most likely, the words come behind them.
  const SquadAnswer answer =
      best_answer(all, 0, logits(20, {{0, 9.0f}, {11, 3.0f}}), logits(20, {{19, 9.0f}, {11, 3.0f}}));
  EXPECT_EQ(answer.text, "Normandy") << "without the comma behind it";
}

TEST_F(SquadFile, AnswersEndAfterTheirStartAndHaveAMaximumLength) {
  const SquadWindows all = windows();
  const auto start = logits(20, {{9, 5.0f}, {6, 1.0f}}), end = logits(20, {{7, 5.0f}, {13, 2.0f}});
  EXPECT_EQ(best_answer(all, 0, start, end).text, "Duke of Normandy, in") << "5 + 2";
  EXPECT_EQ(best_answer(all, 0, start, end, {.max_answer_length = 2}).text, "The man") << "1 + 5";
}

TEST_F(SquadFile, ConsidersOnlyTheMostLikelyTokens) {
  const SquadWindows all = windows();
  // The two most likely ends are in the question.
  const auto start = logits(20, {{6, 5.0f}}), end = logits(20, {{1, 5.0f}, {2, 4.0f}, {7, 3.0f}});
  EXPECT_EQ(best_answer(all, 0, start, end, {.n_best = 3}).text, "The man");
  const SquadAnswer none = best_answer(all, 0, start, end, {.n_best = 2});
  EXPECT_EQ(none.text, "");
  EXPECT_EQ(none.score, -INFINITY);
}

TEST_F(SquadFile, RejectsFewerLogitsThanTokens) {
  const SquadWindows all = windows();
  EXPECT_THAT(message_of<DataError>([&] { best_answer(all, 0, logits(16, {}), logits(16, {})); }),
              HasSubstr("16 start and 16 end logits for a window of 17 tokens. Set max_seq_length"));
}

TEST_F(SquadFile, ReportsTheLineOfAQuestionWithoutAnswers) {
  const std::string bad =
      "{\"data\": [{\"title\": \"N\", \"paragraphs\": [\n{\"context\": \"x\", \"qas\": [\n"
      "{\"id\": \"q9\", \"question\": \"?\", \"answers\": []}]}]}]}";
  EXPECT_THAT(error_of(bad), HasSubstr("bad.json:3: the question q9 has no answers"));
}

TEST_F(SquadFile, ReportsTheLineOfInvalidJson) {
  EXPECT_THAT(error_of("{\"data\": [\n{\"title\": \"N\",\n"), HasSubstr("bad.json:3: invalid JSON: "));
}

TEST_F(SquadFile, RejectsNumbersThatExceedADouble) {
  EXPECT_THAT(error_of("{\"data\": 1e999}"), AllOf(HasSubstr("bad.json: invalid JSON: "), HasSubstr("1e999")));
}

TEST_F(SquadFile, IgnoresTitlesThatAreNotText) {
  EXPECT_THAT(error_of("{\"data\": [{\"title\": 5, \"paragraphs\": []}]}"), HasSubstr("no questions"));
}

TEST_F(SquadFile, ReportsTheLineThatIsNotUtf8) {
  EXPECT_THAT(error_of("{\"data\": [\n{\"title\": \"caf\xe9\",\n"),
              HasSubstr("bad.json:2: byte 15 of the line, 0xe9, is not UTF-8"));
}

TEST_F(SquadFile, RejectsAnotherFormat) {
  EXPECT_THAT(error_of("[]"), HasSubstr("bad.json:1: expected a list 'data'"));
  EXPECT_THAT(error_of("{\"data\": [\n{\"title\": \"N\"}]}"),
              HasSubstr("bad.json:2: 'N': expected a list 'paragraphs'"));
  EXPECT_THAT(error_of("{\"data\": []}"), HasSubstr("no questions"));
  EXPECT_THAT(error_of("{\"data\": [{\"title\": \"N\", \"paragraphs\": [{\"context\": \"x\", \"qas\": [\n"
                       "{\"id\": \"q\", \"question\": \"?\", \"answers\": [{\"text\": \"x\"}]},\n"
                       "{\"id\": \"q\", \"question\": \"?\", \"answers\": [{\"text\": \"x\"}]}]}]}]}"),
              AllOf(HasSubstr("bad.json:2: "), HasSubstr("the question q occurs twice")));
}

}  // namespace
}  // namespace lpot
