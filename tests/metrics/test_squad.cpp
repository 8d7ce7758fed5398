#include "lpot/core/text_tensor.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

struct Given {
  std::string id;
  std::string answer;
  double score;
};

// Every question expects "the blue whale".
void update(Metric& metric, const std::vector<Given>& all) {
  std::vector<std::string> texts;
  std::vector<double> scores;
  std::vector<Tensor> labels;
  for (const Given& given : all) {
    texts.push_back(given.answer);
    scores.push_back(given.score);
    labels.push_back(to_text_tensor({given.id, "the blue whale", "whales"}));
  }
  metric.update({to_text_tensor(texts), Tensor::from<double>({all.size()}, scores)}, labels);
}

TEST(SquadF1, AveragesOverQuestionsUpTo100) {
  const auto f1 = metric("SquadF1"), exact = metric("SquadExactMatch");
  for (Metric* each : {f1.get(), exact.get()})
    update(*each, {{"q1", "Blue whale", 1}, {"q2", "a whale", 1}, {"q3", "", -INFINITY}, {"q4", "red", 1}});
  EXPECT_DOUBLE_EQ(f1->result(), (100 + 200.0 / 3) / 4);
  EXPECT_DOUBLE_EQ(exact->result(), 25);
}

TEST(SquadF1, UsesTheAnswerWithTheHighestScore) {
  const auto f1 = metric("SquadF1");
  update(*f1, {{"q1", "red", 1}, {"q1", "blue whale", 5}});
  update(*f1, {{"q1", "green", 4}});
  EXPECT_DOUBLE_EQ(f1->result(), 100);
  const auto other = f1->fresh();
  update(*other, {{"q1", "yellow", 6}});
  f1->merge(*other);
  EXPECT_DOUBLE_EQ(f1->result(), 0);
}

TEST(SquadF1, AsksForTheTransformSquadV1) {
  const auto f1 = metric("SquadF1");
  EXPECT_THAT(data_error_of([&] {
                f1->update({matrix({{1, 2}})}, scalars({1}));
              }),
              HasSubstr("the first output is f32 [1,2], expected answers as texts; add the postprocessing transform "
                        "SquadV1 {label_file, vocab_file}"));
}

TEST(SquadF1, CannotBeMergedWithExactMatch) {
  EXPECT_THROW(metric("SquadF1")->merge(*metric("SquadExactMatch")), Error);
}

}  // namespace
}  // namespace lpot
