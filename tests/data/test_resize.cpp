#include <cmath>
#include <sstream>

#include "lpot/data/transform.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

Tensor resize(const Tensor& image, const Integers& size, const std::string& interpolation = "bilinear") {
  const Component described = component("Resize", {{"size", size}, {"interpolation", interpolation}});
  return make_transform(described).apply({{image}, {}}, 0).inputs.at(0);
}

// The same noise as make_resize_expectations.py.
Tensor noise(std::size_t height, std::size_t width, std::size_t channels) {
  Tensor image(ElementType::U8, {height, width, channels});
  auto state = static_cast<std::uint32_t>(height * 10000 + width * 100 + channels);
  for (std::size_t i = 0; i < image.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    image.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(state >> 24);
  }
  return image;
}

struct Expectation {
  std::size_t height = 0, width = 0, channels = 0;
  std::int64_t new_height = 0, new_width = 0;
  std::string interpolation, pixels;
};

std::vector<Expectation> expectations() {
  std::ifstream file(LPOT_SOURCE_DIR "/tests/data/expected/resize.txt");
  std::vector<Expectation> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    Expectation e;
    std::istringstream(line) >> e.height >> e.width >> e.channels >> e.new_height >> e.new_width >> e.interpolation >>
        e.pixels;
    all.push_back(std::move(e));
  }
  return all;
}

Tensor channels_first(const Tensor& image) {
  return make_transform(component("Transpose", {{"perm", Integers{2, 0, 1}}})).apply({{image}, {}}, 0).inputs[0];
}

TEST(Resize, EqualsPillowInEveryPixel) {
  const auto all = expectations();
  ASSERT_GT(all.size(), 50u);
  for (const Expectation& e : all) {
    const Tensor result = resize(noise(e.height, e.width, e.channels), {e.new_height, e.new_width}, e.interpolation);
    EXPECT_EQ(hex(result), e.pixels) << e.height << "x" << e.width << " to " << e.new_height << "x" << e.new_width
                                     << " " << e.interpolation;
  }
}

// Three channels and rows of at least 16 values use other instructions than the rest.
TEST(Resize, IsTheSameForEachChannelAlone) {
  for (const char* interpolation : {"bilinear", "bicubic"})
    for (const auto& [from, to] : std::vector<std::pair<std::size_t, std::int64_t>>{
             {1, 1}, {1, 5}, {2, 1}, {3, 40}, {5, 4}, {17, 16}, {16, 17}, {50, 7}, {7, 50}, {64, 31}, {200, 3}}) {
      const Tensor image = noise(from, from, 3), all = resize(image, {to, to}, interpolation);
      for (std::size_t channel = 0; channel < 3; ++channel) {
        Tensor one(ElementType::U8, {from, from, 1});
        for (std::size_t i = 0; i < one.size(); ++i)
          one.data<std::uint8_t>()[i] = image.data<std::uint8_t>()[i * 3 + channel];
        const Tensor resized = resize(one, {to, to}, interpolation);
        for (std::size_t i = 0; i < resized.size(); ++i)
          ASSERT_EQ(all.data<std::uint8_t>()[i * 3 + channel], resized.data<std::uint8_t>()[i])
              << interpolation << " " << from << " to " << to << ", value " << i << " of channel " << channel;
      }
    }
}

TEST(Resize, SpreadsNanOnlyToThePixelsThatDependOnIt) {
  Tensor image(ElementType::F32, {5, 8, 1});
  image.data<float>()[7] = std::nanf("");  // the last of the first row
  const Tensor resized = resize(image, {5, 4});
  for (std::size_t i = 0; i < resized.size(); ++i) EXPECT_EQ(std::isnan(resized.data<float>()[i]), i == 3) << i;
}

TEST(Resize, ReturnsFloatsCloseToTheBytes) {
  const Tensor bytes = resize(noise(32, 32, 3), {11, 10});
  const Tensor floats = resize(noise(32, 32, 3).converted(ElementType::F32), {11, 10});
  ASSERT_EQ(floats.describe(), "f32 [11,10,3]");
  // The bytes are rounded after each of two passes, half a step each.
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_NEAR(floats.value_at(i), bytes.value_at(i), 1.001);
}

TEST(Resize, IsTheSameWithChannelsFirst) {
  for (const char* interpolation : {"nearest", "bilinear", "bicubic"}) {
    const Tensor image = noise(13, 17, 3);
    const Tensor result = resize(channels_first(image), {7, 29}, interpolation);
    EXPECT_EQ(result.shape(), (Shape{3, 7, 29}));
    EXPECT_EQ(hex(result), hex(channels_first(resize(image, {7, 29}, interpolation)))) << interpolation;
  }
}

TEST(Resize, KeepsTheAspectRatioForOneSide) {
  EXPECT_EQ(resize(noise(30, 45, 3), {20}).shape(), (Shape{20, 30, 3}));
  EXPECT_EQ(resize(noise(45, 31, 3), {20}).shape(), (Shape{29, 20, 3}));  // 29.03
  EXPECT_EQ(resize(noise(30, 30, 1), {20}).shape(), (Shape{20, 20, 1}));
}

TEST(Resize, DoesNotChangeAnImageOfTheSameSize) {
  EXPECT_EQ(hex(resize(noise(13, 17, 3), {13, 17}, "bicubic")), hex(noise(13, 17, 3)));
}

TEST(Resize, NearestKeepsTheElementType) {
  EXPECT_EQ(resize(Tensor(ElementType::I32, {4, 4, 1}), {2}, "nearest").describe(), "i32 [2,2,1]");
}

TEST(Resize, RejectsTensorsThatAreNotImages) {
  EXPECT_THAT(message_of<DataError>([] { resize(Tensor(ElementType::F32, {10}), {2}); }),
              HasSubstr("[Resize] got f32 [10]"));
  EXPECT_THAT(message_of<DataError>([] { resize(Tensor(ElementType::U8, {0, 4, 3}), {2}); }), HasSubstr("[0,4,3]"));
}

TEST(Resize, RejectsAnUnknownInterpolation) {
  EXPECT_THAT(message_of<ConfigError>([] { resize(noise(4, 4, 1), {2}, "lanczos"); }), HasSubstr("got 'lanczos'"));
}

}  // namespace
}  // namespace lpot
