#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// A whole idx file of bytes.
std::string idx(const std::vector<std::uint32_t>& shape, const std::string& content) {
  std::string bytes = big_endian(0x0800 + static_cast<std::uint32_t>(shape.size()));
  for (const std::uint32_t dimension : shape) bytes += big_endian(dimension);
  return bytes + content;
}

class MnistTest : public ::testing::Test {
 protected:
  void write_images(const std::string& bytes) { folder_.write("t10k-images-idx3-ubyte", bytes); }
  void write_labels(const std::string& bytes) { folder_.write("t10k-labels-idx1-ubyte", bytes); }
  std::unique_ptr<Dataset> open(bool train = false) {
    return make_dataset(component("MNIST", {{"root", folder_.path().string()}, {"train", train}}));
  }
  std::string open_error() {
    return message_of<DataError>([&] { open(); });
  }

  TempFolder folder_;
  const std::string images_ = idx({2, 2, 3}, "abcdefghijkl");
  const std::string labels_ = idx({2}, std::string{'\7', '\1'});
};

TEST_F(MnistTest, ReturnsImagesWithOneChannelAndTheirLabels) {
  write_images(images_);
  write_labels(labels_);
  const auto dataset = open();
  ASSERT_EQ(dataset->size(), 2u);
  const Sample sample = dataset->at(1);
  EXPECT_EQ(sample.inputs.at(0).describe(), "u8 [2,3,1]");
  EXPECT_EQ(values_of<std::uint8_t>(sample.inputs[0]), (std::vector<std::uint8_t>{'g', 'h', 'i', 'j', 'k', 'l'}));
  EXPECT_EQ(sample.label.describe(), "i64 []");
  EXPECT_EQ(*sample.label.data<std::int64_t>(), 1);
}

TEST_F(MnistTest, ReadsGzFilesTrainingFilesAndTheFolderOfTorchvision) {
  folder_.write("MNIST/raw/train-images-idx3-ubyte", images_);
  folder_.write_gz("train-labels-idx1-ubyte.gz", labels_);
  EXPECT_EQ(open(true)->size(), 2u);
}

TEST_F(MnistTest, IdentityChangesWithTheFiles) {
  write_images(images_);
  write_labels(labels_);
  const std::string before = open()->identity();
  EXPECT_EQ(open()->identity(), before);
  write_images(idx({2, 1, 1}, "ab"));
  EXPECT_NE(open()->identity(), before);
}

TEST_F(MnistTest, SamplesDoNotShareMemoryWithTheDataSet) {
  write_images(images_);
  write_labels(labels_);
  const auto dataset = open();
  dataset->at(0).inputs[0].data<std::uint8_t>()[0] = 99;
  EXPECT_EQ(dataset->at(0).inputs[0].data<std::uint8_t>()[0], 'a');
}

TEST_F(MnistTest, ListsTheExpectedFilesIfOneIsMissing) {
  write_images(images_);
  EXPECT_THAT(open_error(), AllOf(HasSubstr("[MNIST]"), HasSubstr("t10k-labels-idx1-ubyte,"),
                                  HasSubstr("t10k-labels-idx1-ubyte.gz"), HasSubstr("set root to")));
}

TEST_F(MnistTest, NamesARootThatDoesNotExist) {
  const std::string message = message_of<DataError>([] {
    make_dataset(component("FashionMNIST", {{"root", std::string("/nowhere")}, {"train", false}}));
  });
  EXPECT_THAT(message, HasSubstr("[FashionMNIST] /nowhere: no such folder"));
}

TEST_F(MnistTest, RejectsAFileThatIsNotIdx) {
  write_images("GIF89a..........");
  write_labels(labels_);
  EXPECT_THAT(open_error(),
              AllOf(HasSubstr("t10k-images-idx3-ubyte: the file starts with 0x47494638"), HasSubstr("0x00000803")));
}

TEST_F(MnistTest, ReportsSwappedImagesAndLabels) {
  write_images(labels_);
  write_labels(labels_);
  EXPECT_THAT(open_error(), HasSubstr("1 dimensions, expected 3"));
}

TEST_F(MnistTest, RejectsATruncatedHeader) {
  write_images(images_.substr(0, 10));
  write_labels(labels_);
  EXPECT_THAT(open_error(), HasSubstr("10 bytes, expected a header of 16"));
}

TEST_F(MnistTest, RejectsALengthThatDoesNotMatchTheHeader) {
  write_images(images_ + "x");
  write_labels(labels_);
  EXPECT_THAT(open_error(), HasSubstr("13 bytes after the header do not match the shape [2,2,3]"));
}

TEST_F(MnistTest, RejectsAHeaderWhoseSizeOverflows) {
  // 2^31 * 2^31 * 4 is 2^64, which is 0 in 64 bits.
  write_images(idx({1u << 31, 1u << 31, 4}, ""));
  write_labels(labels_);
  EXPECT_THAT(open_error(), HasSubstr("0 bytes after the header do not match"));
}

TEST_F(MnistTest, RejectsFilesOfDifferentLength) {
  write_images(images_);
  write_labels(idx({3}, std::string{'\0', '\1', '\2'}));
  EXPECT_THAT(open_error(), HasSubstr("3 labels for 2 images"));
}

TEST_F(MnistTest, NamesALabelOutOfRange) {
  write_images(images_);
  write_labels(idx({2}, std::string{'\0', '\12'}));
  EXPECT_THAT(open_error(), HasSubstr("label 10 of sample 1, expected 0..9"));
}

TEST_F(MnistTest, NamesAnIndexOutOfRange) {
  write_images(images_);
  write_labels(labels_);
  const auto dataset = open();
  EXPECT_THAT(message_of<DataError>([&] { dataset->at(2); }),
              HasSubstr("[MNIST] sample 2 does not exist; the data set has 2 samples"));
}

}  // namespace
}  // namespace lpot
