#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "lpot/core/error.h"
#include "lpot/core/tensor.h"

namespace lpot {
namespace {

TEST(Tensor, ConvertsFloatsToIntegersByRoundingAndSaturating) {
  const Tensor source = Tensor::from<float>({5}, {1.6f, -1.6f, 300.0f, -300.0f, std::nanf("")});
  const Tensor result = source.converted(ElementType::I8);
  EXPECT_EQ(result.data<std::int8_t>()[0], 2);
  EXPECT_EQ(result.data<std::int8_t>()[1], -2);
  EXPECT_EQ(result.data<std::int8_t>()[2], 127);
  EXPECT_EQ(result.data<std::int8_t>()[3], -128);
  EXPECT_EQ(result.data<std::int8_t>()[4], 0);
}

TEST(Tensor, ConvertsIntegersOfOtherSignBySaturating) {
  const Tensor source = Tensor::from<std::int64_t>({2}, {-5, 1000});
  EXPECT_EQ(source.converted(ElementType::U8).data<std::uint8_t>()[0], 0);
  EXPECT_EQ(source.converted(ElementType::U8).data<std::uint8_t>()[1], 255);
}

TEST(Tensor, RoundTripsHalfPrecision) {
  const std::vector<float> values{0.0f,
                                  -0.0f,
                                  1.0f,
                                  -2.5f,
                                  65504.0f,
                                  std::ldexp(1.0f, -24),
                                  std::ldexp(1.0f, -14),
                                  std::numeric_limits<float>::infinity()};
  const Tensor halves = Tensor::from<float>({values.size()}, values).converted(ElementType::F16);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(halves.value_at(i), values[i]) << i;
}

TEST(Tensor, RoundsHalfPrecisionToNearestEven) {
  const float one = 1.0f, step = std::ldexp(1.0f, -10);
  const Tensor halves = Tensor::from<float>({2}, {one + step / 2, one + 3 * step / 2}).converted(ElementType::F16);
  EXPECT_EQ(halves.value_at(0), one);
  EXPECT_EQ(halves.value_at(1), one + 2 * step);
}

TEST(Tensor, NamesBothTypesIfReadAsAnotherType) {
  const Tensor bytes(ElementType::U8, {2, 3});
  try {
    bytes.data<float>();
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "[tensor] expected elements of f32, got u8 [2,3]");
  }
}

TEST(Tensor, IsSoleOwnerWhileNoOtherTensorSharesItsMemory) {
  Tensor tensor = Tensor::uninitialized(ElementType::F32, {2, 3});
  EXPECT_TRUE(tensor.is_sole_owner());
  {
    const Tensor row = tensor.slice(1);
    EXPECT_FALSE(tensor.is_sole_owner());
    EXPECT_FALSE(row.is_sole_owner());
  }
  EXPECT_TRUE(tensor.is_sole_owner());
  const Tensor moved = std::move(tensor);
  EXPECT_TRUE(moved.is_sole_owner());
  EXPECT_FALSE(Tensor().is_sole_owner());
}

TEST(Tensor, IsNotSoleOwnerOfExternalMemory) {
  const Tensor borrowed(ElementType::F32, {2}, std::make_shared<std::array<float, 2>>());
  EXPECT_FALSE(borrowed.is_sole_owner());
}

TEST(Stack, NamesBothShapesIfSamplesDiffer) {
  try {
    stack({Tensor(ElementType::F32, {2}), Tensor(ElementType::F32, {3})});
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("f32 [2] and f32 [3]"), std::string::npos) << error.what();
  }
}

TEST(Stack, ConcatenatesRows) {
  const Tensor stacked = stack({Tensor::from<float>({2}, {1, 2}), Tensor::from<float>({2}, {3, 4})});
  EXPECT_EQ(stacked.shape(), (Shape{2, 2}));
  EXPECT_EQ(stacked.slice(1).data<float>()[0], 3);
}

}  // namespace
}  // namespace lpot
