#include "lpot/proto/proto_writer.h"

#include <gmock/gmock.h>

#include <bit>

#include "lpot/proto/proto_reader.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Compares with the bytes in the documentation of protobuf.
TEST(ProtoWriter, EncodesEveryTypeOfField) {
  EXPECT_EQ(proto::integer(1, 150), "\x08\x96\x01");
  EXPECT_EQ(proto::integer(2, 0), std::string("\x10\x00", 2));
  EXPECT_EQ(proto::block(2, "testing"), "\x12\x07testing");
  EXPECT_EQ(proto::block(16, ""), std::string("\x82\x01\x00", 3));
  EXPECT_EQ(proto::number(3, 1.0f), std::string("\x1d\x00\x00\x80\x3f", 5));
  EXPECT_EQ(proto::number(4, 1.0), std::string("\x21\x00\x00\x00\x00\x00\x00\xf0\x3f", 9));
  EXPECT_EQ(proto::integers(6, {3, 270, 86942}), "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
  EXPECT_EQ(proto::numbers(1, std::vector<double>{1.0}), std::string("\x0a\x08\x00\x00\x00\x00\x00\x00\xf0\x3f", 10));
}

TEST(ProtoWriter, IsReadBack) {
  const std::vector<float> floats(1000, 0.25f);
  const std::string bytes = proto::integers(1, {-1, 0, 300}) + proto::numbers(2, floats) + proto::integers(3, {}) +
                            proto::number(4, -0.5) + proto::block(5, std::string(100'000, 'x'));
  ProtoReader reader({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.integers(), ElementsAre(-1, 0, 300));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.floats(), floats);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 3);
  EXPECT_THAT(reader.integers(), IsEmpty());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(std::bit_cast<double>(reader.number()), -0.5);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.text(), std::string(100'000, 'x'));
  EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace lpot
