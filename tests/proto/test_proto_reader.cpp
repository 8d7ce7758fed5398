#include "lpot/proto/proto_reader.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "lpot/core/error.h"
#include "lpot/core/mapped_file.h"
#include "lpot/proto/proto_writer.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(ProtoReader, ReadsFieldsOfEveryType) {
  const std::string bytes("\x08\x96\x01\x12\x02hi\x1d\x00\x00\x80\x3f\x21\x01\x00\x00\x00\x00\x00\x00\x00", 21);
  ProtoReader reader(bytes_of(bytes));
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

TEST(ProtoReader, ReadsPackedNumbers) {
  const std::string bytes("\x0a\x03\x01\x96\x01\x12\x08\x00\x00\x80\x3f\x00\x00\x00\x40", 15);
  ProtoReader reader(bytes_of(bytes));
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.integers(), ElementsAre(1, 150));
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.floats(), ElementsAre(1.0f, 2.0f));
}

TEST(ProtoReader, RejectsFieldsBeyondTheEnd) {
  for (const std::string& bytes :
       {std::string("\x12\x05hi", 4), std::string("\x08\x96"), std::string("\x1d\x00\x00", 3), std::string("\x0b"),
        std::string("\x00\x01", 2), std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
        std::string(12, '\xff')}) {
    ProtoReader reader(bytes_of(bytes));
    EXPECT_THROW(reader.next(), DataError);
  }
  const std::string packed("\x0a\x01\x96");
  ProtoReader reader(bytes_of(packed));
  ASSERT_TRUE(reader.next());
  EXPECT_THROW(reader.integers(), DataError);
  EXPECT_THROW(reader.floats(), DataError);
}

TEST(ProtoReader, RejectsInvalidFieldNumbersAndGroups) {
  for (const std::string& bytes : {std::string("\x0b\x0c"), std::string("\x0c"), std::string("\x0e\x01"),
                                   std::string("\x82\x80\x80\x80\x10\x00", 6), std::string("\x80\x80\x00\x01", 4)}) {
    ProtoReader reader(bytes_of(bytes));
    EXPECT_THROW(reader.next(), DataError);
  }
}

TEST(ProtoReader, ReadsTheLargestNumbers) {
  const std::string bytes("\xf8\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  ProtoReader reader(bytes_of(bytes));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 0x1fffffff);
  EXPECT_THAT(reader.integers(), ElementsAre(-1));
  EXPECT_FALSE(reader.next());
}

TEST(ProtoReader, ReturnsNoNumbersForAnotherWireType) {
  const std::string bytes = proto::number(1, 1.5) + proto::number(1, 1.5f) + proto::integer(1, 7);
  ProtoReader reader(bytes_of(bytes));
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.integers(), IsEmpty());
  EXPECT_THAT(reader.floats(), IsEmpty());
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.integers(), IsEmpty());
  EXPECT_EQ(reader.with_tag().size(), 5u);
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.floats(), IsEmpty());
  EXPECT_THAT(reader.message().next(), false);
}

TEST(ProtoReader, DescribesTheFirstDamage) {
  const std::string whole = proto::block(1, "abc") + proto::block(2, std::string(100, 'x'));
  EXPECT_EQ(ProtoReader(bytes_of(whole)).find_damage(), std::nullopt);
  EXPECT_EQ(ProtoReader(bytes_of(whole.substr(0, 50))).find_damage(),
            "truncated: the field at byte 5 needs 100 bytes, but only 43 are left");
  EXPECT_EQ(ProtoReader(bytes_of(whole + '\x03')).find_damage(), "byte 107 of 108 is not the start of a field");
  EXPECT_EQ(ProtoReader({}).find_damage(), std::nullopt);
}

// One CodedInputStream is limited to 2 GB.
TEST(ProtoReader, ReadsMessagesAboveTwoGigabytes) {
  constexpr std::uint64_t kSize = 5'000'000'000;  // a sparse file, which needs no disk space
  const std::string head("\x0a\x80\xe4\x97\xd0\x12", 6), tail = proto::block(2, "tail");
  const TempFolder folder;
  const auto path = write_bytes(folder / "large", head);
  std::filesystem::resize_file(path, head.size() + kSize);
  std::ofstream(path, std::ios::binary | std::ios::app) << tail;
  const MappedFile file(path);
  ProtoReader reader(file.bytes());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.bytes().size(), kSize);
  EXPECT_THROW(reader.integers(), DataError);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.text(), "tail");
  EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace lpot
