#include "lpot/data/nan_check.h"

#include <limits>

#include "support.h"

namespace lpot {
namespace {

using ::testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(FindNans, NamesEachSampleOnceWithItsFirstInput) {
  const Tensor one = Tensor::from<float>({4, 2}, {0, 1, 2, kNan, 4, 5, 6, 7});
  const Tensor two = Tensor::from<float>({4, 1}, {kNan, kNan, 0, 0});
  const auto found = find_nans({one, two});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].row, 0u);
  EXPECT_EQ(found[0].input, 1u);
  EXPECT_EQ(found[1].row, 1u);
  EXPECT_EQ(found[1].input, 0u);
}

TEST(FindNans, ChecksAllFloatTypes) {
  const Tensor floats = Tensor::from<float>({2, 1}, {1, kNan});
  for (const ElementType type : {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64})
    EXPECT_EQ(find_nans({floats.converted(type)}).size(), 1u) << to_string(type);
}

TEST(FindNans, IgnoresInfinitiesAndIntegers) {
  EXPECT_THAT(find_nans({Tensor::from<float>({2, 1}, {-kInfinity, kInfinity})}), IsEmpty());
  EXPECT_THAT(find_nans({Tensor::from<std::int64_t>({2, 1}, {-1, 1})}), IsEmpty());
  EXPECT_THAT(find_nans({}), IsEmpty());
}

}  // namespace
}  // namespace lpot
