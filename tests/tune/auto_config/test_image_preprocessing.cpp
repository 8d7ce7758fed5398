#include "lpot/tune/auto_config/image_preprocessing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Port port(std::vector<std::int64_t> shape, const std::string& type = "f32") { return {"x", type, std::move(shape)}; }

std::vector<std::string> keys_of(const std::vector<ImageStep>& steps) {
  std::vector<std::string> keys;
  for (const ImageStep& step : steps) keys.push_back(step.key);
  return keys;
}

TEST(ImageInputs, AreRecognisedByShapeAndType) {
  EXPECT_EQ(image_input({port({-1, 3, 224, 192})}), (ImageInput{3, 224, 192, true, false}));
  EXPECT_EQ(image_input({port({1, 224, 192, 3}, "u8")}), (ImageInput{3, 224, 192, false, true}));
  EXPECT_EQ(image_input({port({-1, 1, 28, 28})}), (ImageInput{1, 28, 28, true, false}));
  EXPECT_EQ(image_input({port({-1, -1, -1, -1})}), (ImageInput{3, 0, 0, true, false}));
  EXPECT_EQ(image_input({port({-1, -1, -1, 3})}), (ImageInput{3, 0, 0, false, false}));
}

TEST(ImageInputs, OtherInputsAreNone) {
  EXPECT_FALSE(image_input({port({-1, 128})}));
  EXPECT_FALSE(image_input({port({-1, 7, 32, 9})}));
  EXPECT_FALSE(image_input({port({-1, 3, 8, 8}, "i64")}));
  EXPECT_FALSE(image_input({port({-1, 3, 8, 8}), port({-1, 4})}));
}

TEST(FixedSize, OfAClassifierIsTheUsualOne) {
  EXPECT_EQ(with_fixed_size({3, 0, 0}, {{500, 400}}, true), (ImageInput{3, 224, 224}));
  EXPECT_EQ(with_fixed_size({3, 48, 192}, {{500, 400}}, true), (ImageInput{3, 48, 192}));
}

TEST(FixedSize, OfAClassifierFollowsLongImages) {
  EXPECT_EQ(with_fixed_size({3, 0, 0}, {{48, 220}}, true), (ImageInput{3, 48, 224}));
  EXPECT_EQ(with_fixed_size({3, 0, 0}, {{400, 1600}}, true), (ImageInput{3, 112, 448}));
}

TEST(FixedSize, OfOtherModelsFollowsTheImages) {
  EXPECT_EQ(with_fixed_size({3, 0, 0}, {{100, 90}, {200, 330}, {1000, 1000}}, false), (ImageInput{3, 192, 192}));
  EXPECT_EQ(with_fixed_size({3, 0, 0}, {{1080, 1920}}, false), (ImageInput{3, 352, 640}));
  EXPECT_EQ(with_fixed_size({3, 48, 0}, {{50, 300}}, false), (ImageInput{3, 48, 288}));
}

TEST(ImageSizes, AreNotNeededForImagesOfTheRightSize) {
  const auto sizes = image_sizes({3, 32, 32}, {{32, 32}, {32, 32}});
  ASSERT_THAT(sizes, SizeIs(1));
  EXPECT_THAT(sizes[0].transforms, IsEmpty());
}

TEST(ImageSizes, OfSquareInputsBeginWithTheCropOfImageNet) {
  const auto sizes = image_sizes({3, 224, 224}, {{500, 375}});
  ASSERT_THAT(sizes, SizeIs(3));
  EXPECT_THAT(sizes[0].transforms, ElementsAre("Resize: {size: 256}", "CenterCrop: {size: 224}"));
  EXPECT_THAT(sizes[1].transforms, ElementsAre("Resize: {size: [224, 224]}"));
  EXPECT_THAT(sizes[2].transforms, ElementsAre("Resize: {size: 224}", "CenterCrop: {size: 224}"));
  EXPECT_THAT(image_sizes({3, 48, 192}, {{500, 375}}), SizeIs(1)) << "crops of other shapes are not usual";
}

TEST(ImageSizes, OfWholeImagesMayKeepTheAspectRatio) {
  const ImageInput input{3, 480, 640};
  EXPECT_THAT(whole_image(input, {{500, 375}}, true).transforms, ElementsAre("LetterBox: {size: [480, 640]}"));
  EXPECT_THAT(whole_image(input, {{500, 375}}, false).transforms, ElementsAre("Resize: {size: [480, 640]}"));
  EXPECT_THAT(whole_image(input, {{480, 640}}, true).transforms, IsEmpty());
}

TEST(Normalizations, OfThreeChannelsHaveBothOrders) {
  const auto steps = normalizations({3, 224, 224}, {});
  EXPECT_THAT(keys_of(steps), ElementsAre("imagenet", "imagenet-bgr", "0..1", "0..1-bgr", "-1..1", "-1..1-bgr",
                                          "0..255", "0..255-bgr", "caffe"));
  EXPECT_THAT(steps[0].transforms,
              ElementsAre("ToTensor: {}", "Normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}"));
  EXPECT_THAT(steps[6].transforms, ElementsAre("Transpose: {perm: [2, 0, 1]}", "Cast: {dtype: float32}"));
  EXPECT_THAT(steps[8].transforms, ElementsAre("ReverseChannels: {}", "Transpose: {perm: [2, 0, 1]}",
                                               "Normalize: {mean: [103.939, 116.779, 123.68], std: [1, 1, 1]}"));
}

TEST(Normalizations, KeepChannelsLastAndBytes) {
  const auto last = normalizations({3, 224, 224, false}, {});
  EXPECT_THAT(last[2].transforms, ElementsAre("Rescale: {}"));
  EXPECT_THAT(last[6].transforms, ElementsAre("Cast: {dtype: float32}"));
  const auto bytes = normalizations({3, 224, 224, false, true}, {});
  EXPECT_THAT(keys_of(bytes), ElementsAre("0..255", "0..255-bgr"));
  EXPECT_THAT(bytes[0].transforms, IsEmpty());
}

TEST(Normalizations, OfGreyImagesIncludeTheirOwnStatistics) {
  const ImageInput input{1, 28, 28};
  const auto steps = normalizations(input, PixelStatistics{0.28604, 0.35302});
  EXPECT_THAT(keys_of(steps), ElementsAre("0..1", "-1..1", "0..255", "images"));
  EXPECT_THAT(image_transforms(input, {"", {"Resize: {size: [28, 28]}"}}, steps[3]),
              ElementsAre("AlignImageChannel: {dim: 1}", "Resize: {size: [28, 28]}", "ToTensor: {}",
                          "Normalize: {mean: [0.286], std: [0.353]}"));
}

}  // namespace
}  // namespace lpot
