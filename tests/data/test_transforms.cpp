#include <array>

#include "lpot/data/transform.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

Tensor apply(const Component& described, const Tensor& input) {
  return make_transform(described).apply({{input}, {}}, 0).inputs.at(0);
}

std::string apply_error(const Component& described, const Tensor& input) {
  return message_of<DataError>([&] { apply(described, input); });
}

std::string make_error(const Component& described) {
  return message_of<ConfigError>([&] { make_transform(described); });
}

Component normalize(const Numbers& mean, const Numbers& deviation) {
  return component("Normalize", {{"mean", mean}, {"std", deviation}});
}
Component transpose(const Integers& permutation) { return component("Transpose", {{"perm", permutation}}); }
Component center_crop(const Integers& size) { return component("CenterCrop", {{"size", size}}); }

// 0, 1, 2, ... in that shape.
template <typename T>
Tensor counting(const Shape& shape) {
  Tensor tensor(element_type_of<T>(), shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data<T>()[i] = static_cast<T>(i);
  return tensor;
}

TEST(ToTensor, PutsChannelsFirstAndDividesBy255) {
  const Tensor result =
      apply(component("ToTensor"), Tensor::from<std::uint8_t>({1, 2, 3}, {0, 51, 102, 153, 204, 255}));
  EXPECT_EQ(result.shape(), (Shape{3, 1, 2}));
  EXPECT_THAT(values_of<float>(result), ElementsAre(0.0f, 153 / 255.0f, 51 / 255.0f, 204 / 255.0f, 102 / 255.0f, 1.0f));
}

TEST(ToTensor, RejectsFloatsAndMatrices) {
  EXPECT_THAT(apply_error(component("ToTensor"), Tensor(ElementType::F32, {4, 4, 3})),
              AllOf(HasSubstr("[ToTensor] got f32 [4,4,3]"), HasSubstr("expected u8 [height,width,channels]")));
  EXPECT_THAT(apply_error(component("ToTensor"), Tensor(ElementType::U8, {4, 4})), HasSubstr("got u8 [4,4]"));
}

TEST(Rescale, DividesBy255AndKeepsTheLayout) {
  const Tensor result = apply(component("Rescale"), Tensor::from<std::uint8_t>({1, 1, 2}, {51, 255}));
  EXPECT_EQ(result.describe(), "f32 [1,1,2]");
  EXPECT_THAT(values_of<float>(result), ElementsAre(0.2f, 1.0f));
}

TEST(Cast, ChangesTheElementType) {
  const Component to_int = component("Cast", {{"dtype", std::string("int32")}});
  EXPECT_EQ(apply(to_int, Tensor::from<float>({2}, {1.6f, -3.0f})).describe(), "i32 [2]");
  EXPECT_THROW(make_transform(component("Cast", {{"dtype", std::string("complex")}})), ConfigError);
}

TEST(Transpose, ReordersDimensions) {
  const Tensor result = apply(transpose({2, 0, 1}), counting<std::uint8_t>({2, 2, 3}));
  EXPECT_EQ(result.shape(), (Shape{3, 2, 2}));
  EXPECT_THAT(values_of<std::uint8_t>(result), ElementsAre(0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11));
}

TEST(Transpose, BackAndForthIsTheSame) {
  const Tensor source = counting<double>({2, 3, 4, 5});
  const Tensor there = apply(transpose({3, 1, 0, 2}), source);
  EXPECT_EQ(there.shape(), (Shape{5, 3, 2, 4}));
  EXPECT_EQ(values_of<double>(apply(transpose({2, 1, 3, 0}), there)), values_of<double>(source));
}

TEST(Transpose, RejectsAnotherRankAndInvalidPermutations) {
  EXPECT_THAT(apply_error(transpose({2, 0, 1}), Tensor(ElementType::U8, {2, 2})),
              AllOf(HasSubstr("[Transpose] got u8 [2,2]"), HasSubstr("expected 3 dimensions")));
  EXPECT_THAT(make_error(transpose({0, 0, 1})), HasSubstr("each of 0..2 once, got [0, 0, 1]"));
  EXPECT_THAT(make_error(transpose({0, 3, 1})), HasSubstr("each of 0..2"));
  EXPECT_THAT(make_error(transpose({})), HasSubstr("an empty list"));
}

TEST(Normalize, SupportsChannelsFirst) {
  const Tensor result = apply(normalize({1, 2}, {2, 4}), counting<float>({2, 1, 3}));
  EXPECT_THAT(values_of<float>(result), ElementsAre(-0.5f, 0.0f, 0.5f, 0.25f, 0.5f, 0.75f));
}

TEST(Normalize, SupportsChannelsLast) {
  const Tensor result = apply(normalize({1, 2}, {2, 4}), counting<float>({1, 3, 2}));
  EXPECT_THAT(values_of<float>(result), ElementsAre(-0.5f, -0.25f, 0.5f, 0.25f, 1.5f, 0.75f));
}

TEST(Normalize, PrefersChannelsFirstForFloatsAndChannelsLastForBytes) {
  EXPECT_THAT(values_of<float>(apply(normalize({0, 1}, {1, 1}), counting<float>({2, 1, 2}))), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(values_of<float>(apply(normalize({0, 1}, {1, 1}), counting<std::uint8_t>({2, 1, 2}))),
              ElementsAre(0, 0, 2, 2));
}

TEST(Normalize, AppliesOneMeanToAllChannels) {
  EXPECT_THAT(values_of<float>(apply(normalize({1}, {2}), counting<float>({3, 1, 1}))), ElementsAre(-0.5f, 0, 0.5f));
}

TEST(Normalize, RejectsMeansThatDoNotMatchTheChannels) {
  EXPECT_THAT(apply_error(normalize({1, 2, 3}, {1, 1, 1}), Tensor(ElementType::F32, {1, 28, 28})),
              AllOf(HasSubstr("[Normalize] got f32 [1,28,28]"), HasSubstr("3 channels")));
  EXPECT_THAT(make_error(normalize({1, 2}, {1})), HasSubstr("2 means and 1 stds"));
  EXPECT_THAT(make_error(normalize({1}, {0})), HasSubstr("expected positive numbers, got 0"));
}

TEST(CenterCrop, CropsTheCenter) {
  const Tensor result = apply(center_crop({2}), counting<std::uint8_t>({4, 4, 1}));
  EXPECT_EQ(result.shape(), (Shape{2, 2, 1}));
  EXPECT_THAT(values_of<std::uint8_t>(result), ElementsAre(5, 6, 9, 10));
}

TEST(CenterCrop, RoundsHalfAMarginToEvenAsTorchvisionDoes) {
  EXPECT_THAT(values_of<std::uint8_t>(apply(center_crop({1, 4}), counting<std::uint8_t>({1, 5, 1}))),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values_of<std::uint8_t>(apply(center_crop({1, 2}), counting<std::uint8_t>({1, 5, 1}))),
              ElementsAre(2, 3));
}

TEST(CenterCrop, WorksOnEveryPlaneWhenChannelsAreFirst) {
  const Tensor result = apply(center_crop({1, 3}), counting<float>({2, 3, 5}));
  EXPECT_EQ(result.shape(), (Shape{2, 1, 3}));
  EXPECT_THAT(values_of<float>(result), ElementsAre(6, 7, 8, 21, 22, 23));
}

TEST(CenterCrop, RejectsAnImageThatIsTooSmall) {
  EXPECT_THAT(apply_error(center_crop({224}), Tensor(ElementType::U8, {32, 32, 3})),
              AllOf(HasSubstr("[CenterCrop] got u8 [32,32,3]"), HasSubstr("at least 224 x 224")));
}

TEST(CenterCrop, RejectsInvalidImagesAndSizes) {
  EXPECT_THAT(apply_error(center_crop({2}), Tensor(ElementType::U8, {32, 32})), HasSubstr("expected an image"));
  EXPECT_THAT(make_error(center_crop({0})), HasSubstr("got 0"));
  EXPECT_THAT(make_error(center_crop({1, 2, 3})), HasSubstr("got [1, 2, 3]"));
}

TEST(Transforms, ChangeTheFirstInputOnlyAndKeepTheLabel) {
  const Sample result =
      make_transform(component("Rescale"))
          .apply({{Tensor(ElementType::U8, {2}), Tensor(ElementType::U8, {3})}, Tensor::scalar(7.0f)}, 0);
  EXPECT_EQ(result.inputs[0].element_type(), ElementType::F32);
  EXPECT_EQ(result.inputs[1].element_type(), ElementType::U8);
  EXPECT_EQ(result.label.value_at(0), 7);
}

TEST(Transforms, DoNotWriteIntoTheirInput) {
  const Tensor image = counting<float>({2, 1, 1});
  apply(normalize({1, 2}, {2, 4}), image);
  apply(component("Rescale"), image);
  EXPECT_THAT(values_of<float>(image), ElementsAre(0, 1));
}

TEST(Transforms, DoNotWriteIntoForeignMemory) {
  const auto memory = std::make_shared<std::array<float, 2>>(std::array<float, 2>{0, 1});
  float* values = memory->data();
  // The tensor is the only owner, but the memory was not allocated by a tensor.
  Tensor image(ElementType::F32, {2, 1, 1}, std::shared_ptr<void>(values, [memory](void*) {}));
  make_transform(normalize({1, 2}, {2, 4})).apply({{std::move(image)}, {}}, 0);
  EXPECT_THAT(*memory, ElementsAre(0, 1));
}

TEST(Transforms, ReuseTheMemoryOfASampleThatTheyOwn) {
  Sample sample{{counting<float>({2, 1, 1})}, {}};
  const std::byte* memory = sample.inputs[0].bytes();
  sample = make_transform(normalize({1, 2}, {2, 4})).apply(std::move(sample), 0);
  sample = make_transform(component("Rescale")).apply(std::move(sample), 0);
  EXPECT_EQ(sample.inputs[0].bytes(), memory);
  EXPECT_THAT(values_of<float>(sample.inputs[0]), ElementsAre(-0.5f / 255, -0.25f / 255));
}

TEST(Transforms, HaveAnIdentityWithTheirParameters) {
  EXPECT_NE(make_transform(normalize({1}, {1})).identity, make_transform(normalize({2}, {1})).identity);
}

}  // namespace
}  // namespace lpot
