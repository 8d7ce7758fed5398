#include "lpot/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lpot
