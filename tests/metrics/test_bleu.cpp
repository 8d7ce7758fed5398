#include <cmath>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

using Ids = std::vector<std::int64_t>;

void translate(Metric& metric, const Ids& given, const Ids& expected) {
  metric.update({Tensor::from<std::int64_t>({1, given.size()}, given)},
                {Tensor::from<std::int64_t>({expected.size()}, expected)});
}

double bleu(const Ids& given, const Ids& expected) {
  const auto counted = metric("BLEU");
  translate(*counted, given, expected);
  return counted->result();
}

TEST(Bleu, IsTheGeometricMeanOfFourPrecisions) {
  EXPECT_DOUBLE_EQ(bleu({1, 2, 3, 4, 5}, {1, 2, 3, 4, 6}), std::pow(4.0 / 5 * 3 / 4 * 2 / 3 * 1 / 2, 0.25));
  EXPECT_DOUBLE_EQ(bleu({1, 2, 3, 4}, {1, 2, 3, 4}), 1);
}

TEST(Bleu, PunishesShortTranslations) { EXPECT_DOUBLE_EQ(bleu({1, 2, 3, 4}, {1, 2, 3, 4, 5}), std::exp(1 - 5.0 / 4)); }

TEST(Bleu, CountsARepeatedTokenAsOftenAsTheReferenceHasIt) {
  EXPECT_DOUBLE_EQ(bleu({7, 7, 7, 7}, {7, 8, 9, 10}), std::pow(1.0 / 4 * 1 / 6 * 1 / 8 * 1 / 8, 0.25));
}

TEST(Bleu, SmoothsOrdersWithoutAMatch) {
  EXPECT_DOUBLE_EQ(bleu({1, 2, 9, 8}, {1, 2, 3, 4}), std::pow(2.0 / 4 * 1 / 3 * 1 / 4 * 1 / 4, 0.25));
}

TEST(Bleu, IgnoresPadding) {
  EXPECT_DOUBLE_EQ(bleu({1, 2, 3, 4, 0, 0}, {1, 2, 3, 4, -1}), 1);
  EXPECT_EQ(bleu({0, 0}, {1, 2}), 0);
}

TEST(Bleu, IsComputedOverTheCorpus) {
  const auto counted = metric("BLEU");
  translate(*counted, {1, 2, 3, 4}, {1, 2, 3, 4});
  translate(*counted, {5, 6, 7, 8}, {8, 7, 6, 5});
  EXPECT_DOUBLE_EQ(counted->result(), std::pow(8.0 / 8 * 3 / 6 * 2 / 4 * 1 / 2, 0.25));
}

TEST(Bleu, RejectsValuesThatAreNotTokenIds) {
  EXPECT_THAT(data_error_of([] { metric("BLEU")->update({matrix({{0.5f}})}, scalars({1})); }),
              HasSubstr("first output of sample 0 of the batch contains 0.5"));
  EXPECT_THAT(data_error_of([] { metric("BLEU")->update({matrix({{1}})}, {Tensor()}); }), HasSubstr("has no label"));
  EXPECT_THAT(data_error_of([] { bleu({1}, {0}); }), HasSubstr("the references have no tokens"));
}

}  // namespace
}  // namespace lpot
