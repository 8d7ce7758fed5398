#include "lpot/metrics/squad_score.h"

#include "support.h"

namespace lpot {
namespace {

TEST(NormalizeAnswer, RemovesCasePunctuationArticlesAndExtraSpace) {
  EXPECT_EQ(normalize_answer("  The  Denver Broncos!"), "denver broncos");
  EXPECT_EQ(normalize_answer("an \"A.B.\" theory"), "ab theory");
  EXPECT_EQ(normalize_answer("$1,000"), "1000");
  EXPECT_EQ(normalize_answer("the a an ."), "");
}

TEST(NormalizeAnswer, SupportsLettersAndDashesBeyondAscii) {
  EXPECT_EQ(normalize_answer("ÉCOLE Łódź ΑΘΗΝΑ МОСКВА"), "école łódź αθηνα москва");
  EXPECT_EQ(normalize_answer("the\u2013river"), "\u2013river");      // an en dash ends a word
  EXPECT_EQ(normalize_answer("a\u00e9rien"), "a\u00e9rien");         // a letter does not
  EXPECT_EQ(normalize_answer("ten\u00a0thousand"), "ten thousand");  // no-break space
}

TEST(AnswerF1, CountsSharedWords) {
  EXPECT_DOUBLE_EQ(answer_f1("the Norse raiders", "Norse"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(answer_f1("red red blue", "red blue blue"), 2.0 / 3);
  EXPECT_EQ(answer_f1("green", "blue"), 0);
  EXPECT_EQ(answer_f1("the", "a"), 0);
}

TEST(SquadScore, UsesTheBestExpectedAnswerAndScoresUpTo100) {
  SquadScore score;
  score.count("the Norse", {"a Norseman", "Norse"});
  score.count("Norse raiders", {"Norse", "Danes"});
  score.count_unanswered();
  EXPECT_DOUBLE_EQ(score.exact_match(), 100.0 / 3);
  EXPECT_DOUBLE_EQ(score.f1(), 100.0 * (1 + 2.0 / 3) / 3);
}

TEST(SquadScore, MergesPartialResults) {
  SquadScore first, second;
  first.count("x", {"x"});
  second.count("x y", {"x"});
  first.merge(second);
  EXPECT_DOUBLE_EQ(first.f1(), 100.0 * (1 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(first.exact_match(), 50);
}

TEST(SquadScore, HasNoResultWithoutSamples) {
  EXPECT_THROW(SquadScore().f1(), DataError);
  EXPECT_THROW(SquadScore().exact_match(), DataError);
  EXPECT_THROW(SquadScore().count("x", {}), DataError);
}

}  // namespace
}  // namespace lpot
