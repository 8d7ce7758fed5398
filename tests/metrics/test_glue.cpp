#include <cmath>
#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

std::vector<Tensor> numbers(const std::vector<float>& values) {
  std::vector<Tensor> labels;
  for (const float value : values) labels.push_back(Tensor::scalar(value));
  return labels;
}

TEST(Glue, IsAccuracyForMostTasks) {
  for (const char* task : {"mrpc", "qqp", "mnli", "mnli-mm", "qnli", "rte", "wnli", "sst-2"})
    EXPECT_DOUBLE_EQ(score(*glue(task), {{0, 1}, {1, 0}, {0, 1}, {0, 1}}, scalars({1, 0, 1, 0})), 0.75) << task;
}

TEST(Glue, IsMatthewsCorrelationForCola) {
  // tp 2, tn 1, fp 1, fn 0: (2*1 - 1*0) / sqrt(3*2*2*1).
  EXPECT_DOUBLE_EQ(score(*glue("cola"), {{0, 1}, {1, 0}, {0, 1}, {0, 1}}, scalars({1, 0, 1, 0})), 2 / std::sqrt(12.0));
  EXPECT_EQ(score(*glue("cola"), {{0, 1}, {0, 1}}, scalars({1, 0})), 0);
}

TEST(Glue, IsTheMeanOfPearsonsAndSpearmansForStsb) {
  EXPECT_DOUBLE_EQ(score(*glue("sts-b"), {{1}, {2}, {3}}, numbers({5, 7, 9})), 1);
  // Pearson of (1,1) (2,2) (6,3): 5 / sqrt(14*2); the ranks agree.
  EXPECT_DOUBLE_EQ(score(*glue("sts-b"), {{1}, {2}, {6}}, numbers({1, 2, 3})), (5 / std::sqrt(28.0) + 1) / 2);
  EXPECT_TRUE(std::isnan(score(*glue("sts-b"), {{1}, {1}}, numbers({1, 2}))));
}

TEST(Glue, NeverCountsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(score(*glue("mrpc"), {{nan, 1}, {0, 1}}, scalars({1, 1})), 0.5);
  EXPECT_TRUE(std::isnan(score(*glue("sts-b"), {{nan}, {1}, {2}}, numbers({1, 2, 3}))));
}

TEST(Glue, RejectsOutputsAndLabelsOfOtherTasks) {
  EXPECT_THAT(data_error_of([] {
                glue("sts-b")->update({matrix({{1, 2}})}, numbers({1}));
              }),
              HasSubstr("2 values per sample, expected one for the task sts-b"));
  EXPECT_THAT(data_error_of([] { glue("sts-b")->update({matrix({{1}})}, {Tensor(ElementType::F32, {2})}); }),
              HasSubstr("sample 0 of the batch is f32 [2]"));
  EXPECT_THAT(data_error_of([] {
                glue("mnli")->update({matrix({{1, 2}})}, scalars({2}));
              }),
              HasSubstr("[GLUE] label 2"));
  EXPECT_THROW(glue("boolq"), ConfigError);
}

TEST(Glue, SupportsMeasuresForClassesAndForScores) {
  EXPECT_DOUBLE_EQ(score(*glue("mrpc", "f1"), {{0, 1}, {1, 0}, {0, 1}, {0, 1}}, scalars({1, 0, 1, 0})), 0.8);
  EXPECT_DOUBLE_EQ(score(*glue("sts-b", "spearmanr"), {{1}, {2}, {6}}, numbers({1, 2, 3})), 1);
  EXPECT_THROW(glue("mrpc", "pearson"), ConfigError);
  EXPECT_THROW(glue("sts-b", "acc"), ConfigError);
  EXPECT_THROW(glue("mrpc", "f1")->merge(*glue("mrpc", "acc")), Error);
  EXPECT_THROW(glue("sts-b", "pearson")->merge(*glue("sts-b")), Error);
}

}  // namespace
}  // namespace lpot
