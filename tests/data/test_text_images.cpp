#include "lpot/core/text_tensor.h"
#include "lpot/data/images/render_text.h"
#include "support.h"
#include "tests/support/components.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kFont = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

class TextImages : public ::testing::Test {
 protected:
  TextImages() { folder_.write("texts.txt", "hello world\n\n  Grüße 12\r\ni\n"); }
  std::unique_ptr<Dataset> open(std::map<std::string, Value> values) const {
    if (!values.contains("texts") && !values.contains("root")) values["texts"] = (folder_ / "texts.txt").string();
    return make_dataset(with_defaults(datasets(), "text_images", std::move(values)));
  }
  TempFolder folder_;
};

std::size_t dark_pixels(const Tensor& image) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < image.size(); i += 3) count += image.data<std::uint8_t>()[i] < 128;
  return count;
}

TEST(RenderText, DrawsGlyphsInsideOfTheMargin) {
  const Tensor image = render_text("ab", {.font = kFont, .size = 40, .margin = 6});
  const std::size_t height = image.shape()[0], width = image.shape()[1];
  EXPECT_GT(dark_pixels(image), 100u);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const bool is_margin = y < 6 || y >= height - 6 || x < 6 || x >= width - 6;
      const bool is_white = image.data<std::uint8_t>()[(y * width + x) * 3] == 255;
      ASSERT_TRUE(is_white || !is_margin) << y << " " << x;
    }
  EXPECT_GT(render_text("abab", {.font = kFont, .size = 40}).shape()[1], width);
  EXPECT_EQ(hex(render_text("ab", {.font = kFont, .size = 40, .margin = 6})), hex(image));
}

TEST(RenderText, RejectsWhatCannotBeRendered) {
  const auto error = [](const std::string& text, const std::string& font) {
    return message_of<DataError>([&] { render_text(text, {.font = font}); });
  };
  EXPECT_THAT(error("a", "none.ttf"), HasSubstr("none.ttf: no font that can be read"));
  EXPECT_THAT(error("a東", kFont), HasSubstr("the font has no glyph for '東' (U+6771)"));
  EXPECT_THAT(error("", kFont), HasSubstr("a text of 0 bytes"));
}

TEST_F(TextImages, RendersTextsWithTheTextAsLabel) {
  const auto data = open({});
  ASSERT_EQ(data->size(), 3u);
  EXPECT_THAT(to_texts(data->label(1)), ElementsAre("Grüße 12"));
  const Sample sample = data->at(0);
  EXPECT_EQ(sample.inputs[0].shape()[0], 32u);
  EXPECT_GT(sample.inputs[0].shape()[1], 100u);
  EXPECT_THAT(to_texts(sample.label), ElementsAre("hello world"));
}

TEST_F(TextImages, PadsAndSqueezesToTheWidth) {
  const auto data = open({{"width", std::int64_t{64}}, {"height", std::int64_t{24}}, {"fill", std::int64_t{7}}});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(data->at(i).inputs[0].shape(), (Shape{24, 64, 3}));
  EXPECT_EQ(data->at(2).inputs[0].value_at(63 * 3), 7);                                   // i is narrow
  EXPECT_NE(data->at(0).inputs[0].value_at(63 * 3), 7);                                   // squeezed
  EXPECT_EQ(open({{"width", std::int64_t{64}}})->at(2).inputs[0].value_at(63 * 3), 255);  // repeats the ground
}

TEST_F(TextImages, VariesSizeAndNoise) {
  const auto widths = open({{"font_size", std::vector<std::int64_t>{14, 60}}});
  EXPECT_NE(hex(widths->at(0).inputs[0]), hex(open({})->at(0).inputs[0]));
  const auto noisy = open({{"noise", 20.0}}), other = open({{"noise", 20.0}, {"seed", std::int64_t{5}}});
  EXPECT_EQ(hex(noisy->at(0).inputs[0]), hex(open({{"noise", 20.0}})->at(0).inputs[0]));
  EXPECT_NE(hex(noisy->at(0).inputs[0]), hex(other->at(0).inputs[0]));
  EXPECT_NE(noisy->identity(), other->identity());
}

TEST_F(TextImages, ReadsPicturesOfAList) {
  std::filesystem::copy(LPOT_SOURCE_DIR "/tests/data/images", folder_ / "pictures");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "pictures"))
    if (entry.path().extension() == ".png") names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  ASSERT_GE(names.size(), 1u);
  const std::string list = folder_.write("rec_gt.txt", names[0] + "\tsome text, \"quoted\"\n");
  const auto data = open({{"root", (folder_ / "pictures").string()}, {"list", list}, {"width", std::int64_t{48}}});
  EXPECT_THAT(to_texts(data->label(0)), ElementsAre("some text, \"quoted\""));
  EXPECT_EQ(data->at(0).inputs[0].shape(), (Shape{32, 48, 3}));
  folder_.write("list.csv", "image,words\n" + names[0] + ",\"a, b\"\n");
  EXPECT_THAT(
      to_texts(open({{"root", (folder_ / "pictures").string()}, {"list", (folder_ / "list.csv").string()}})->label(0)),
      ElementsAre("a, b"));
}

TEST_F(TextImages, RejectsParametersThatDoNotFit) {
  const auto error = [&](std::map<std::string, Value> values) {
    return message_of<Error>([&] { open(std::move(values)); });
  };
  EXPECT_THAT(error({{"root", folder_.path().string()}}),
              HasSubstr("expected texts (to render them), or root and list"));
  EXPECT_THAT(error({{"texts", folder_.write("empty.txt", " \n")}}), HasSubstr("empty.txt: found no text"));
  EXPECT_THAT(error({{"font_size", std::vector<std::int64_t>{1}}}),
              HasSubstr("font_size: expected sizes from 4 to 512"));
  EXPECT_THAT(error({{"fill", std::int64_t{300}}}), HasSubstr("fill: expected 0 to 255, got 300"));
  folder_.write("rec_gt.txt", "a.png\t\n");
  EXPECT_THAT(error({{"root", folder_.path().string()}, {"list", (folder_ / "rec_gt.txt").string()}}),
              HasSubstr("rec_gt.txt:1: expected a file name, a tab and a text"));
}

}  // namespace
}  // namespace lpot
