#include "lpot/core/text_tensor.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"

namespace lpot {
namespace {

TEST(TextTensor, ReturnsTheSameTexts) {
  const std::vector<std::string> texts{"Łódź", "", "a longer one"};
  const Tensor tensor = to_text_tensor(texts);
  EXPECT_EQ(tensor.shape(), (Shape{3, 12}));
  EXPECT_EQ(to_texts(tensor), texts);
  EXPECT_TRUE(to_texts(to_text_tensor({})).empty());
}

TEST(TextTensor, DiffersFromOtherTensors) {
  EXPECT_FALSE(holds_texts(Tensor()));
  EXPECT_FALSE(holds_texts(Tensor(ElementType::F32, {2, 2})));
  EXPECT_THROW(to_texts(Tensor(ElementType::U8, {4})), DataError);
}

}  // namespace
}  // namespace lpot
