#include "lpot/core/wire.h"

#include <gmock/gmock.h>

#include <string>

#include "lpot/core/error.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(WireReader, GoesThroughFieldsOfEveryType) {
  const std::string bytes("\x08\x96\x01\x12\x02hi\x1d\x00\x00\x80\x3f\x21\x01\x00\x00\x00\x00\x00\x00\x00", 21);
  WireReader reader(bytes_of(bytes));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 1);
  EXPECT_EQ(reader.number(), 150u);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.text(), "hi");
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.floats(), ElementsAre(1.0f));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 4);
  EXPECT_EQ(reader.number(), 1u);
  EXPECT_FALSE(reader.next());
}

TEST(WireReader, ReadsPackedNumbers) {
  const std::string bytes("\x0a\x03\x01\x96\x01\x12\x08\x00\x00\x80\x3f\x00\x00\x00\x40", 15);
  WireReader reader(bytes_of(bytes));
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.integers(), ElementsAre(1, 150));
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.floats(), ElementsAre(1.0f, 2.0f));
}

TEST(WireReader, RefusesWhatReachesBeyondTheEnd) {
  for (const std::string& bytes :
       {std::string("\x12\x05hi", 4), std::string("\x08\x96"), std::string("\x1d\x00\x00", 3), std::string("\x0b"),
        std::string("\x00\x01", 2), std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
        std::string(12, '\xff')}) {
    WireReader reader(bytes_of(bytes));
    EXPECT_THROW(reader.next(), DataError);
  }
  const std::string packed("\x0a\x01\x96");
  WireReader reader(bytes_of(packed));
  ASSERT_TRUE(reader.next());
  EXPECT_THROW(reader.integers(), DataError);
  EXPECT_THROW(reader.floats(), DataError);
}

}  // namespace
}  // namespace lpot
