#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kPlane = 32 * 32;

// A record whose planes count up from `red`, `red` + 50 and `red` + 100.
std::string record(int label, int red) {
  std::string bytes(1, static_cast<char>(label));
  for (int plane = 0; plane < 3; ++plane)
    for (std::size_t i = 0; i < kPlane; ++i) bytes += static_cast<char>(red + 50 * plane + static_cast<int>(i % 50));
  return bytes;
}

class Cifar10Test : public ::testing::Test {
 protected:
  std::unique_ptr<Dataset> open(bool train = false) {
    return make_dataset(component("CIFAR10", {{"root", folder_.path().string()}, {"train", train}}));
  }
  std::string open_error() {
    return message_of<DataError>([&] { open(); });
  }
  TempFolder folder_;
};

TEST_F(Cifar10Test, ConvertsPlanesToPixels) {
  folder_.write("test_batch.bin", record(3, 0) + record(8, 7));
  const auto dataset = open();
  ASSERT_EQ(dataset->size(), 2u);
  const Sample sample = dataset->at(1);
  EXPECT_EQ(sample.inputs.at(0).describe(), "u8 [32,32,3]");
  const auto* pixels = sample.inputs[0].data<std::uint8_t>();
  EXPECT_EQ(pixels[0], 7);
  EXPECT_EQ(pixels[1], 57);
  EXPECT_EQ(pixels[2], 107);
  EXPECT_EQ(pixels[3 * 1023 + 2], 107 + 1023 % 50);
  EXPECT_EQ(*sample.label.data<std::int64_t>(), 8);
}

TEST_F(Cifar10Test, ReadsTheAvailableTrainingBatches) {
  folder_.write_gz("data_batch_1.bin.gz", record(1, 0));
  folder_.write("data_batch_4.bin", record(4, 0) + record(5, 0));
  const auto dataset = open(true);
  ASSERT_EQ(dataset->size(), 3u);
  EXPECT_EQ(*dataset->at(2).label.data<std::int64_t>(), 5);
}

TEST_F(Cifar10Test, FindsTheFolderInsideTheArchive) {
  folder_.write("cifar-10-batches-bin/test_batch.bin", record(1, 0));
  EXPECT_EQ(open()->size(), 1u);
}

TEST_F(Cifar10Test, ListsTheExpectedFilesIfThereIsNoBatch) {
  EXPECT_THAT(open_error(),
              AllOf(HasSubstr("test_batch.bin,"), HasSubstr("test_batch.bin.gz"), HasSubstr("cifar-10-binary")));
  EXPECT_THAT(message_of<DataError>([&] { open(true); }), HasSubstr("data_batch_1.bin"));
}

TEST_F(Cifar10Test, RejectsATruncatedOrEmptyFile) {
  folder_.write("test_batch.bin", record(1, 0).substr(1));
  EXPECT_THAT(open_error(), HasSubstr("3072 bytes, expected a multiple of 3073"));
  folder_.write("test_batch.bin", "");
  EXPECT_THAT(open_error(), HasSubstr("0 bytes, expected a multiple of 3073"));
}

TEST_F(Cifar10Test, NamesALabelOutOfRange) {
  folder_.write("test_batch.bin", record(9, 0) + record(10, 0));
  EXPECT_THAT(open_error(), HasSubstr("test_batch.bin: label 10 of sample 1, expected 0..9"));
}

TEST_F(Cifar10Test, NamesAnIndexOutOfRange) {
  folder_.write("test_batch.bin", record(9, 0));
  EXPECT_THAT(message_of<DataError>([&] { open()->at(1); }), HasSubstr("sample 1 does not exist"));
}

TEST(Cifar100, LabelsByTheClassNotTheSuperclass) {
  const TempFolder folder;
  folder.write("cifar-100-binary/test.bin", std::string(1, 5) + record(99, 1));
  folder.write("train.bin", std::string(1, 5) + record(100, 1));
  const auto open = [&](bool train) {
    return make_dataset(component("CIFAR100", {{"root", folder.path().string()}, {"train", train}}));
  };
  const Sample sample = open(false)->at(0);
  EXPECT_EQ(*sample.label.data<std::int64_t>(), 99);
  EXPECT_EQ(sample.inputs.at(0).data<std::uint8_t>()[1], 51);
  EXPECT_THAT(message_of<DataError>([&] { open(true); }),
              HasSubstr("train.bin: label 100 of sample 0, expected 0..99"));
  folder.write("train.bin", record(1, 1));
  EXPECT_THAT(message_of<DataError>([&] { open(true); }), HasSubstr("3073 bytes, expected a multiple of 3074"));
}

}  // namespace
}  // namespace lpot
