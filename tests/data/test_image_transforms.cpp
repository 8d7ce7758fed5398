#include <set>

#include "lpot/core/random.h"
#include "lpot/data/loader.h"
#include "lpot/data/transform.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Values = std::map<std::string, Value>;

std::int64_t whole(int value) { return value; }

// Default values of parameters, as a config would add them.
Component described(const std::string& name, Values values = {}) {
  if (name == "RandomResizedCrop" || name == "CropResize") values.emplace("interpolation", std::string("bilinear"));
  if (name == "RandomResizedCrop") {
    values.emplace("scale", Numbers{0.08, 1.0});
    values.emplace("ratio", Numbers{0.75, 4.0 / 3});
  }
  if (name.ends_with("Imagenet") && name != "ParseDecodeImagenet") {
    values.emplace("mean_value", Numbers{0, 0, 0});
    values.emplace("scale", 1.0);
    values.emplace("central_fraction", 0.875);
    values.emplace("resize_side", whole(256));
    values.emplace("random_crop", false);
    values.emplace("random_flip_left_right", false);
  }
  if (name == "ResizeWithRatio") {
    values.emplace("min_dim", whole(800));
    values.emplace("max_dim", whole(1365));
    values.emplace("padding", false);
    values.emplace("constant_value", 0.0);
  }
  if (name == "LetterBox") {
    values.emplace("color", 114.0);
    values.emplace("enlarge", true);
    values.emplace("position", std::string("center"));
  }
  if (name == "ResizeWithAspectRatio") {
    values.emplace("scale", 87.5);
    values.emplace("inter_pol", std::string("area"));
  }
  return component(name, std::move(values));
}

Sample apply_to(const Component& transform, Sample sample, std::uint64_t seed = 0) {
  return make_transform(transform).apply(std::move(sample), seed);
}
Tensor apply(const Component& transform, const Tensor& image, std::uint64_t seed = 0) {
  return apply_to(transform, {{image}, {}}, seed).inputs.at(0);
}
std::string apply_error(const Component& transform, const Tensor& image) {
  return message_of<DataError>([&] { apply(transform, image); });
}
std::string make_error(const Component& transform) {
  return message_of<ConfigError>([&] { make_transform(transform); });
}

// 0, 1, 2, ... in that shape.
template <typename T = std::uint8_t>
Tensor counting(const Shape& shape) {
  Tensor tensor(element_type_of<T>(), shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data<T>()[i] = static_cast<T>(i);
  return tensor;
}

TEST(RandomCrop, CropsAtEveryPosition) {
  std::set<std::vector<std::uint8_t>> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    seen.insert(values_of<std::uint8_t>(
        apply(described("RandomCrop", {{"size", Integers{2}}}), counting({4, 3, 1}), mix(seed))));
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_TRUE(seen.contains({7, 8, 10, 11}));
  EXPECT_EQ(apply(described("RandomCrop", {{"size", Integers{4, 3}}}), counting({4, 3, 1})).shape(), (Shape{4, 3, 1}));
  EXPECT_THAT(apply_error(described("RandomCrop", {{"size", Integers{5}}}), counting({4, 3, 1})),
              HasSubstr("[RandomCrop] got u8 [4,3,1], expected at least 5 x 5"));
}

TEST(ReverseChannels, SwapsRedAndBlue) {
  EXPECT_THAT(values_of<std::uint8_t>(apply(described("ReverseChannels"), counting({1, 2, 3}))),
              ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(values_of<float>(apply(described("ReverseChannels"), counting<float>({3, 1, 2}))),
              ElementsAre(4, 5, 2, 3, 0, 1));
  EXPECT_THAT(apply_error(described("ReverseChannels"), counting({6})), HasSubstr("[ReverseChannels] got u8 [6]"));
}

TEST(RandomFlips, MirrorAboutHalfOfTheSamples) {
  const Tensor image = counting({2, 2, 1});
  std::map<std::vector<std::uint8_t>, int> left_right, upside_down;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    ++left_right[values_of<std::uint8_t>(apply(described("RandomHorizontalFlip"), image, mix(seed)))];
    ++upside_down[values_of<std::uint8_t>(apply(described("RandomVerticalFlip"), image, mix(seed)))];
  }
  EXPECT_EQ(left_right.size(), 2u);
  EXPECT_NEAR((left_right[{1, 0, 3, 2}]), 500, 60);
  EXPECT_EQ(upside_down.size(), 2u);
  EXPECT_NEAR((upside_down[{2, 3, 0, 1}]), 500, 60);
}

TEST(RandomFlips, DoNotAlwaysFlipTogether) {
  const Component across = described("RandomHorizontalFlip"), down = described("RandomVerticalFlip");
  std::set<std::vector<std::uint8_t>> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    seen.insert(values_of<std::uint8_t>(apply(down, apply(across, counting({2, 2, 1}), seed), seed)));
  EXPECT_EQ(seen.size(), 4u);
}

TEST(RandomFlips, KeepPixelsTogetherInBothLayouts) {
  std::set<std::vector<std::uint8_t>> last;
  std::set<std::vector<float>> first;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    last.insert(values_of<std::uint8_t>(apply(described("RandomHorizontalFlip"), counting({1, 2, 3}), seed)));
    first.insert(values_of<float>(apply(described("RandomHorizontalFlip"), counting<float>({3, 1, 2}), seed)));
  }
  EXPECT_TRUE(last.contains({3, 4, 5, 0, 1, 2}));
  EXPECT_TRUE(first.contains({1, 0, 3, 2, 5, 4}));
}

TEST(RandomResizedCrop, ReturnsTheSizeAndTheSameCropForTheSameSeed) {
  const Component crop = described("RandomResizedCrop", {{"size", Integers{5, 7}}});
  std::set<std::vector<std::uint8_t>> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Tensor result = apply(crop, counting({40, 30, 3}), seed);
    EXPECT_EQ(result.shape(), (Shape{5, 7, 3}));
    EXPECT_EQ(values_of<std::uint8_t>(result), values_of<std::uint8_t>(apply(crop, counting({40, 30, 3}), seed)));
    seen.insert(values_of<std::uint8_t>(result));
  }
  EXPECT_GT(seen.size(), 45u);
}

TEST(RandomResizedCrop, CropsTheCenterIfNothingFits) {
  // Twice the area never fits, so ten attempts fail. The image is wider than 4/3, so the center 4 of 8 columns are
  // used.
  const Component crop = described("RandomResizedCrop", {{"size", Integers{3, 4}}, {"scale", Numbers{2, 2}}});
  const Tensor result = apply(crop, counting({3, 8, 1}));
  EXPECT_THAT(values_of<std::uint8_t>(result), ElementsAre(2, 3, 4, 5, 10, 11, 12, 13, 18, 19, 20, 21));
}

TEST(RandomResizedCrop, RejectsInvalidRanges) {
  EXPECT_THAT(make_error(described("RandomResizedCrop", {{"size", Integers{5}}, {"scale", Numbers{1, 0.5}}})),
              HasSubstr("scale: expected two positive numbers [min, max]"));
  EXPECT_THAT(make_error(described("RandomResizedCrop", {{"size", Integers{5}}, {"ratio", Numbers{0, 1}}})),
              HasSubstr("ratio: expected"));
}

Component box(int top, int left, int height, int width) {
  return described("CropToBoundingBox", {{"offset_height", whole(top)},
                                         {"offset_width", whole(left)},
                                         {"target_height", whole(height)},
                                         {"target_width", whole(width)}});
}

TEST(CropToBoundingBox, CropsAndRejectsABoxOutsideTheImage) {
  EXPECT_THAT(values_of<std::uint8_t>(apply(box(1, 2, 2, 1), counting({3, 4, 1}))), ElementsAre(6, 10));
  EXPECT_THAT(apply_error(box(2, 0, 2, 1), counting({3, 4, 1})), HasSubstr("expected at least 4 x 1"));
  EXPECT_THAT(make_error(box(-1, 0, 2, 1)), HasSubstr("offset_height: expected 0 to 65536, got -1"));
  EXPECT_THAT(make_error(box(0, 0, 0, 1)), HasSubstr("target_height: expected 1"));
}

TEST(CropResize, IsACropAndThenAResize) {
  const Component both = described(
      "CropResize",
      {{"x", whole(3)}, {"y", whole(1)}, {"width", whole(9)}, {"height", whole(8)}, {"size", Integers{5, 4}}});
  const Tensor image = counting({13, 17, 3});
  const Tensor expected =
      apply(component("Resize", {{"size", Integers{5, 4}}, {"interpolation", std::string("bilinear")}}),
            apply(box(1, 3, 8, 9), image));
  EXPECT_EQ(values_of<std::uint8_t>(apply(both, image)), values_of<std::uint8_t>(expected));
}

TEST(PaddedCenterCrop, CropsAFractionOfTheShorterSide) {
  // 224 / (224 + 32) of 8 is 7.
  const auto crop = [](int padding) {
    return described("PaddedCenterCrop", {{"size", Integers{224}}, {"crop_padding", whole(padding)}});
  };
  const Tensor result = apply(crop(32), counting({8, 10, 1}));
  EXPECT_EQ(result.shape(), (Shape{7, 7, 1}));
  EXPECT_EQ(result.data<std::uint8_t>()[0], 12);  // row 1, column 2
  EXPECT_EQ(apply(crop(0), counting({8, 10, 1})).shape(), (Shape{8, 8, 1}));
  EXPECT_THAT(make_error(described("PaddedCenterCrop", {{"size", Integers{2, 3}}, {"crop_padding", whole(0)}})),
              HasSubstr("a square"));
}

Component with_ratio(int min, int max, bool padding = false) {
  return described("ResizeWithRatio",
                   {{"min_dim", whole(min)}, {"max_dim", whole(max)}, {"padding", padding}, {"constant_value", 9.0}});
}

TEST(ResizeWithRatio, EnlargesToTheShorterSideWithinTheLonger) {
  EXPECT_EQ(apply(with_ratio(20, 100), counting({10, 15, 3})).shape(), (Shape{20, 30, 3}));
  EXPECT_EQ(apply(with_ratio(20, 24), counting({10, 15, 3})).shape(), (Shape{16, 24, 3}));
  EXPECT_EQ(apply(with_ratio(5, 100), counting({10, 15, 3})).shape(), (Shape{10, 15, 3}));
  EXPECT_EQ(apply(with_ratio(0, 5), counting({10, 15, 3})).shape(), (Shape{3, 5, 3}));
}

TEST(ResizeWithRatio, PadsToASquareAndMovesBoxes) {
  const Tensor label = Tensor::from<float>({1, 7}, {0, 0.5f, 1, 1, 3, 0, 10});
  const Sample sample = apply_to(with_ratio(0, 4, true), {{counting({2, 4, 1})}, label});
  EXPECT_THAT(values_of<std::uint8_t>(sample.inputs[0]), ElementsAre(9, 9, 9, 9, 0, 1, 2, 3, 4, 5, 6, 7, 9, 9, 9, 9));
  EXPECT_THAT(values_of<float>(sample.label), ElementsAre(0.25f, 0.5f, 0.75f, 1, 3, 0, 10));
  EXPECT_THAT(values_of<float>(label), ElementsAre(0, 0.5f, 1, 1, 3, 0, 10));
  EXPECT_THAT(make_error(with_ratio(1, 0, true)), HasSubstr("padding needs max_dim"));
}

Component with_aspect(int height, int width, const std::string& method = "area") {
  return described("ResizeWithAspectRatio",
                   {{"height", whole(height)}, {"width", whole(width)}, {"inter_pol", method}});
}

TEST(LetterBox, FitsTheImageAndMovesBoxes) {
  Tensor image(ElementType::U8, {20, 10, 1});
  std::fill_n(image.data<std::uint8_t>(), image.size(), std::uint8_t{7});
  const Tensor label = Tensor::from<float>({1, 7}, {0, 0.5f, 0.5f, 1, 3, 0, 9});
  const Sample centered = apply_to(described("LetterBox", {{"size", Integers{40, 32}}}), {{image}, label});
  EXPECT_EQ(centered.inputs[0].describe(), "u8 [40,32,1]");
  // The image is 40 x 20 and begins at column 6.
  EXPECT_EQ(centered.inputs[0].data<std::uint8_t>()[5], 114);
  EXPECT_EQ(centered.inputs[0].data<std::uint8_t>()[6], 7);
  EXPECT_EQ(centered.inputs[0].data<std::uint8_t>()[25], 7);
  EXPECT_EQ(centered.inputs[0].data<std::uint8_t>()[26], 114);
  EXPECT_THAT(values_of<float>(centered.label),
              Pointwise(FloatNear(1e-6f), std::vector<float>{0, 0.5f, 0.5f, 26.0f / 32, 3, 0, 9}));
  const Sample corner = apply_to(
      described("LetterBox", {{"size", Integers{40, 32}}, {"enlarge", false}, {"position", std::string("top_left")}}),
      {{image}, label});
  EXPECT_THAT(values_of<float>(corner.label),
              Pointwise(FloatNear(1e-6f), std::vector<float>{0, 5.0f / 32, 0.25f, 10.0f / 32, 3, 0, 9}));
}

TEST(LetterBox, KeepsTheOverlapOfBoxes) {
  // Two boxes overlap by the same share in the image and in the padded image.
  const auto overlap = [](const Tensor& label) {
    const float* a = label.data<float>();
    const float* b = a + 7;
    const float both = (std::min(a[2], b[2]) - std::max(a[0], b[0])) * (std::min(a[3], b[3]) - std::max(a[1], b[1]));
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
  };
  const Tensor label = Tensor::from<float>({2, 7}, {0.1f, 0.2f, 0.6f, 0.7f, 0, 0, 1, 0.2f, 0.3f, 0.9f, 0.8f, 0, 0, 1});
  const Sample moved =
      apply_to(described("LetterBox", {{"size", Integers{64}}}), {{Tensor(ElementType::U8, {50, 80, 3})}, label});
  EXPECT_NEAR(overlap(moved.label), overlap(label), 1e-5);
}

TEST(LetterBox, RejectsAnUnknownPosition) {
  EXPECT_THAT(make_error(described("LetterBox", {{"size", Integers{64}}, {"position", std::string("left")}})),
              HasSubstr("expected center or top_left"));
}

TEST(ResizeWithAspectRatio, ResizesTheShorterSideToEightSevenths) {
  EXPECT_EQ(apply(with_aspect(7, 7), counting({30, 20, 3})).shape(), (Shape{12, 8, 3}));
  EXPECT_EQ(apply(with_aspect(224, 224), counting({30, 41, 3})).shape(), (Shape{256, 349, 3}));
}

TEST(ResizeWithAspectRatio, AveragesTheCoveredArea) {
  const Component all =
      described("ResizeWithAspectRatio", {{"height", whole(2)}, {"width", whole(2)}, {"scale", 100.0}});
  // Columns 0, 30, 90 to two: (0 + 30 / 2) / 1.5 and (30 / 2 + 90) / 1.5.
  const Tensor image = Tensor::from<float>({1, 3, 3}, {0, 30, 90, 0, 30, 90, 0, 30, 90});
  EXPECT_THAT(values_of<float>(apply(all, image)), Pointwise(FloatNear(1e-4f), {10, 70, 10, 70}));
}

Component bilinear(int height, int width, Values values = {}) {
  values.emplace("height", whole(height));
  values.emplace("width", whole(width));
  return described("BilinearImagenet", std::move(values));
}

TEST(BilinearImagenet, CropsTheCenterAndScalesToMinusOneToOne) {
  // The center half of 8 columns is 2..5, averaged in pairs without anti-aliasing: the means of 2, 3 and 4, 5.
  Tensor image(ElementType::U8, {8, 8, 1});
  for (std::size_t i = 0; i < 64; ++i) image.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i % 8 * 10);
  const Tensor result =
      apply(bilinear(1, 2, {{"central_fraction", 0.5}, {"mean_value", Numbers{0.5}}, {"scale", 2.0}}), image);
  EXPECT_EQ(result.describe(), "f32 [1,2,1]");
  const auto expected = [](float value) { return ((value / 255 - 0.5f) * 2 - 0.5f) * 2; };
  EXPECT_THAT(values_of<float>(result), Pointwise(FloatNear(1e-5f), {expected(25), expected(45)}));
}

TEST(BilinearImagenet, DoesNotAntiAlias) {
  // Eight columns to two: between columns 1 and 2, and 5 and 6; a filter as wide as four columns would see the
  // 200.
  const Tensor image = Tensor::from<float>({1, 8, 1}, {200, 0, 0, 200, 200, 0, 0, 200});
  const Component plain = bilinear(1, 2, {{"central_fraction", 0.0}, {"mean_value", Numbers{0}}});
  EXPECT_THAT(values_of<float>(apply(plain, image.converted(ElementType::U8))), Each(FloatNear(-1, 1e-5f)));
}

TEST(BilinearImagenet, NeedsChannelsLast) {
  EXPECT_THAT(apply_error(bilinear(2, 2), counting<float>({3, 8, 8})),
              AllOf(HasSubstr("[BilinearImagenet] got f32 [3,8,8]"), HasSubstr("move it in front of ToTensor")));
}

Component resize_crop(Values values) {
  values.emplace("height", whole(2));
  values.emplace("width", whole(2));
  values.emplace("resize_side", whole(4));
  return described("ResizeCropImagenet", std::move(values));
}

TEST(ResizeCropImagenet, CropsTheCenterAndScalesForTensorFlow) {
  const Tensor result = apply(resize_crop({{"mean_value", Numbers{10}}, {"scale", 0.5}}), counting({4, 6, 1}));
  EXPECT_EQ(result.describe(), "f32 [2,2,1]");
  EXPECT_THAT(values_of<float>(result), ElementsAre(-1, -0.5f, 2, 2.5f));  // 8, 9, 14, 15
}

TEST(ResizeCropImagenet, NormalizesWithChannelsFirstForOnnxRuntime) {
  const Component onnx = resize_crop({{"mean_value", Numbers{0.485, 0.456, 0.406}}});
  const Tensor result = apply(onnx, counting({4, 4, 3}));
  ASSERT_EQ(result.describe(), "f32 [3,2,2]");
  EXPECT_NEAR(result.value_at(0), (15 / 255.0 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(result.value_at(4), (16 / 255.0 - 0.456) / 0.224, 1e-5);
  const Tensor given = apply(resize_crop({{"std_value", Numbers{1, 1, 1}}}), counting({4, 4, 3}));
  EXPECT_NEAR(given.value_at(0), 15 / 255.0, 1e-6);
}

TEST(ResizeCropImagenet, CropsAndFlipsRandomlyOnRequest) {
  std::set<std::vector<float>> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    seen.insert(values_of<float>(
        apply(resize_crop({{"random_crop", true}, {"random_flip_left_right", true}, {"mean_value", Numbers{0}}}),
              counting({4, 4, 1}), seed)));
  EXPECT_EQ(seen.size(), 18u);
}

TEST(AlignImageChannel, RepeatsGreyConvertsToGreyAndDropsAlpha) {
  const auto align = [](int dim) { return described("AlignImageChannel", {{"dim", whole(dim)}}); };
  EXPECT_THAT(values_of<std::uint8_t>(apply(align(3), counting({1, 2}))), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_EQ(apply(align(3), counting({1, 2, 1})).shape(), (Shape{1, 2, 3}));
  EXPECT_THAT(values_of<std::uint8_t>(apply(align(3), counting({1, 1, 4}))), ElementsAre(0, 1, 2));
  // Pillow: Image.new("RGB", (1, 1), (200, 100, 50)).convert("L") is 124.
  EXPECT_THAT(values_of<std::uint8_t>(apply(align(1), Tensor::from<std::uint8_t>({1, 1, 3}, {200, 100, 50}))),
              ElementsAre(124));
  EXPECT_THAT(apply_error(align(4), counting({1, 1, 3})), HasSubstr("got u8 [1,1,3]"));
  EXPECT_THAT(make_error(align(5)), HasSubstr("dim: expected 1 to 4, got 5"));
}

TEST(ToPILImage, MovesChannelsLastAndConvertsToBytes) {
  const Tensor image = counting({2, 3, 3});
  EXPECT_EQ(values_of<std::uint8_t>(apply(described("ToPILImage"), apply(component("ToTensor"), image))),
            values_of<std::uint8_t>(image));
  EXPECT_EQ(values_of<std::uint8_t>(apply(described("ToPILImage"), image)), values_of<std::uint8_t>(image));
  EXPECT_THAT(apply_error(described("ToPILImage"), Tensor(ElementType::I32, {2, 3, 3})), HasSubstr("got i32 [2,3,3]"));
}

TEST(QuantizedInput, ScalesShiftsAndSaturates) {
  const Tensor input = Tensor::from<float>({4}, {-20, -0.19f, 0.99f, 20});
  const auto quantized = [](const std::string& dtype) {
    return described("QuantizedInput", {{"dtype", dtype}, {"scale", 10.0}});
  };
  EXPECT_THAT(values_of<std::int8_t>(apply(quantized("int8"), input)), ElementsAre(-128, -1, 9, 127));
  EXPECT_THAT(values_of<std::uint8_t>(apply(quantized("uint8"), input)), ElementsAre(0, 126, 137, 255));
  EXPECT_EQ(apply(described("QuantizedInput", {{"dtype", std::string("int8")}}), input).describe(), "f32 [4]");
}

TEST(Markers, DoNotChangeTheSample) {
  for (const char* name : {"ToArray", "ToNDArray", "ParseDecodeImagenet"})
    EXPECT_EQ(values_of<std::uint8_t>(apply(described(name), counting({2, 2, 3}))),
              values_of<std::uint8_t>(counting({2, 2, 3})))
        << name;
}

// For an impossible order of transforms, the error names the sample, the transform and its input.
TEST(TransformOrder, IsExplainedIfImpossible) {
  const std::shared_ptr<const Dataset> bytes =
      make_dataset(component("dummy", {{"shape", std::vector<std::string>{"2", "8", "8", "3"}},
                                       {"low", Numbers{0}},
                                       {"high", Numbers{255}},
                                       {"dtype", std::vector<std::string>{"uint8"}},
                                       {"label", true}}));
  const auto error = [&](const std::vector<Component>& order) {
    std::vector<Transform> transforms;
    for (const Component& transform : order) transforms.push_back(make_transform(transform));
    return message_of<DataError>([&] { DataLoader(bytes, transforms).sample(1); });
  };
  EXPECT_THAT(error({component("ToTensor"), component("ToTensor")}),
              HasSubstr("sample 1: [ToTensor] got f32 [3,8,8], expected u8 [height,width,channels]"));
  EXPECT_THAT(error({component("Rescale"), component("ToTensor")}), HasSubstr("[ToTensor] got f32 [8,8,3]"));
  EXPECT_THAT(error({component("ToTensor"), bilinear(2, 2)}), HasSubstr("[BilinearImagenet] got f32 [3,8,8]"));
  EXPECT_THAT(
      error({component("Transpose", {{"perm", Integers{1, 2, 0}}}), described("RandomCrop", {{"size", Integers{2}}})}),
      HasSubstr("[RandomCrop] got u8 [8,3,8], expected an image"));
  EXPECT_THAT(error({component("Cast", {{"dtype", std::string("int32")}}), described("ToPILImage")}),
              HasSubstr("[ToPILImage] got i32 [8,8,3]"));
}

}  // namespace
}  // namespace lpot
