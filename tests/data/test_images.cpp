#include <cstring>
#include <sstream>

#include "lpot/core/file.h"
#include "lpot/data/images/decode.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::filesystem::path kImages = LPOT_SOURCE_DIR "/tests/data/images";

std::string decode_error(const std::vector<std::uint8_t>& bytes) {
  return message_of<DataError>([&] { decode_image(bytes); });
}

std::vector<std::uint8_t> cut(const std::string& name, double part) {
  std::vector<std::uint8_t> bytes = read_file(kImages / name);
  bytes.resize(static_cast<std::size_t>(static_cast<double>(bytes.size()) * part));
  return bytes;
}

TEST(DecodeImage, EqualsPillowInEveryPixelOfEveryKind) {
  std::ifstream lines(kImages / "pixels.txt");
  std::size_t kinds = 0;
  for (std::string name, pixels; lines.peek() != EOF; ++kinds) {
    std::size_t height = 0, width = 0;
    lines >> name >> height >> width >> pixels >> std::ws;
    const Tensor image = decode_image(read_file(kImages / name));
    EXPECT_EQ(image.shape(), (Shape{height, width, 3})) << name;
    EXPECT_EQ(hex(image), pixels) << name;
  }
  EXPECT_EQ(kinds, 16u);
}

TEST(DecodeImage, RejectsATruncatedFile) {
  EXPECT_THAT(decode_error(cut("rgb_420.jpg", 0.9)), HasSubstr("[decode] damaged JPEG: "));
  EXPECT_THAT(decode_error(cut("rgb_420.jpg", 0.1)), HasSubstr("damaged JPEG: "));
  EXPECT_THAT(decode_error(cut("progressive.jpg", 0.6)), HasSubstr("damaged JPEG: "));
  EXPECT_THAT(decode_error(cut("rgb.png", 0.9)), HasSubstr("damaged PNG: the file is truncated"));
  EXPECT_THAT(decode_error(cut("rgb.png", 0.02)), HasSubstr("damaged PNG: "));
}

TEST(DecodeImage, RejectsADamagedFile) {
  std::vector<std::uint8_t> png = read_file(kImages / "rgb.png");
  png[png.size() / 2] ^= 0x55;
  EXPECT_THAT(decode_error(png), HasSubstr("damaged PNG: "));
  std::vector<std::uint8_t> jpeg = read_file(kImages / "rgb_444.jpg");
  std::fill(jpeg.end() - 200, jpeg.end() - 100, std::uint8_t{0xff});
  EXPECT_THAT(decode_error(jpeg), HasSubstr("damaged JPEG: "));
}

// Any damage gives an image or a DataError, never a crash or a leak (the sanitizer build checks this).
TEST(DecodeImage, SurvivesDamageAnywhere) {
  for (const char* name : {"rgb_420.jpg", "progressive.jpg", "cmyk.jpg", "rgb.png", "palette.png", "interlaced.png"}) {
    const std::vector<std::uint8_t> whole = read_file(kImages / name);
    for (std::size_t place = 0; place < whole.size(); ++place) {
      std::vector<std::uint8_t> bytes = whole;
      bytes[place] ^= 0x81;
      try {
        decode_image(bytes);
        bytes.resize(place);
        decode_image(bytes);
      } catch (const DataError&) {
      }
    }
  }
}

TEST(DecodeImage, RejectsOtherFormats) {
  EXPECT_THAT(decode_error({}), HasSubstr("the file is empty"));
  EXPECT_THAT(decode_error({'G', 'I', 'F', '8', '9', 'a'}),
              HasSubstr("starts with 47 49 46 38, expected a JPEG or PNG"));
}

TEST(DecodeImage, RejectsAnImageThatExceedsTheMemoryLimit) {
  std::vector<std::uint8_t> jpeg = read_file(kImages / "grey.jpg");
  // The frame header: marker, length, precision, then height and width.
  for (std::size_t i = 0; i + 9 < jpeg.size(); ++i)
    if (jpeg[i] == 0xff && jpeg[i + 1] == 0xc0)
      std::fill_n(jpeg.begin() + static_cast<std::ptrdiff_t>(i) + 5, 4, std::uint8_t{0xf0});
  EXPECT_THAT(decode_error(jpeg), HasSubstr("61680 x 61680 pixels, expected at most 178956970"));
}

TEST(ReadImage, NamesDataSetFileAndIndex) {
  const TempFolder folder;
  const std::string path = folder.write("a.jpg", "no image");
  EXPECT_THAT(message_of<DataError>([&] {
                read_image({"ImageFolder", path, 7});
              }),
              AllOf(HasSubstr("[ImageFolder] sample 7: " + path), HasSubstr("expected a JPEG or PNG")));
  EXPECT_THAT(message_of<DataError>([&] { read_image({"ImageFolder", path + "x", 7}); }), HasSubstr("no such file"));
}

}  // namespace
}  // namespace lpot
