#include "lpot/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace lpot {
namespace {

TEST(FormatTable, AlignsTheFirstColumnLeftAndTheOthersRight) {
  EXPECT_EQ(format_table({"model", "ms"}, {{"a", "1.5"}, {"longer", "10.25"}}),
            "model      ms\n"
            "------  -----\n"
            "a         1.5\n"
            "longer  10.25\n");
}

TEST(FormatTable, CountsLettersAndNotBytes) {
  EXPECT_EQ(format_table({"é", "x"}, {{"日本", "1"}}),
            "é   x\n"
            "--  -\n"
            "日本  1\n");
}

TEST(FormatTable, LeavesNoSpacesAtTheEndOfALine) {
  EXPECT_EQ(format_table({"a", "b"}, {{"1", ""}, {"2", "xyz"}}), "a    b\n-  ---\n1\n2  xyz\n");
}

TEST(FormatTable, ShortensTheWidestCellsInTheMiddleToFitTheWidth) {
  const std::string name = "/layer1/layer1.0/conv1/" + std::string(80, 'x') + "/Conv";
  const std::string table =
      format_table({"op", "type", "ms"}, {{name, "Convolution", "0.123"}, {"fc", "MatMul", "1.5"}});
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(table, testing::AllOf(testing::HasSubstr("/layer1/layer1.0/"), testing::HasSubstr("..."),
                                    testing::HasSubstr("xx/Conv  Convolution  0.123\n")));
  EXPECT_THAT(format_table({"op"}, {{name}}, 200), testing::HasSubstr(name));
}

TEST(FormatTable, ShortensBetweenLettersAndNotInsideThem) {
  std::string name;
  for (int i = 0; i < 100; ++i) name += "é";
  EXPECT_EQ(format_table({"x"}, {{name}}, 12),
            "x\n------------\n"
            "ééééé...éééé\n");
}

TEST(FormatNames, ShowsFiveAndCountsTheOthers) {
  EXPECT_EQ(format_names({"a", "b", "c", "d", "e"}, "the report"), "a, b, c, d, e");
  EXPECT_EQ(format_names({"a", "b", "c", "d", "e", "f", "g"}, "the report"),
            "a, b, c, d, e and 2 more, see the report");
  EXPECT_EQ(format_names({}, "the report"), "");
}

TEST(FormatBytes, UsesTheUnitThatReadsBest) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1 kB");
  EXPECT_EQ(format_bytes(999'499), "999 kB");
  EXPECT_EQ(format_bytes(999'500), "1.00 MB");
  EXPECT_EQ(format_bytes(1'050'000), "1.05 MB");
  EXPECT_EQ(format_bytes(999'999'999), "1.00 GB");
  EXPECT_EQ(format_bytes(28'030'000'000), "28.03 GB");
}

TEST(FormatSeconds, UsesTheUnitThatReadsBest) {
  EXPECT_EQ(format_seconds(0.04), "0.0 s");
  EXPECT_EQ(format_seconds(0.42), "0.4 s");
  EXPECT_EQ(format_seconds(59.94), "59.9 s");
  EXPECT_EQ(format_seconds(59.96), "1 min 0 s");
  EXPECT_EQ(format_seconds(192), "3 min 12 s");
  EXPECT_EQ(format_seconds(3599.6), "1 h 0 min");
  EXPECT_EQ(format_seconds(7325), "2 h 2 min");
}

TEST(FormatPercent, HasTwoDigits) { EXPECT_EQ(format_percent(0.9173), "91.73%"); }

TEST(FormatRatio, IsAtLeastOneAndSaysWhichWay) {
  EXPECT_EQ(format_ratio(2.5, "faster", "slower"), "2.50 x faster");
  EXPECT_EQ(format_ratio(0.5, "faster", "slower"), "2.00 x slower");
  EXPECT_EQ(format_ratio(1, "smaller", "larger"), "1.00 x smaller");
}

TEST(FormatSpeedup, HasTheSpreadIfItIsKnown) {
  EXPECT_EQ(format_speedup(1.42, {1.381, 1.47}), "1.42 x (1.38-1.47)");
  EXPECT_EQ(format_speedup(1.42, {}), "1.42 x");
  EXPECT_EQ(format_faster_slower(1.42, {1.381, 1.47}), "1.42 x faster (1.38-1.47)");
  EXPECT_EQ(format_faster_slower(0.5, {0.4, 0.625}), "2.00 x slower (1.60-2.50)");
  EXPECT_EQ(format_faster_slower(0.5, {}), "2.00 x slower");
}

}  // namespace
}  // namespace lpot
