#include "lpot/quantize/graph/quantized_ops.h"

#include <gmock/gmock.h>

#include "lpot/quantize/graph/quantizable_ops.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::IsEmpty;

std::vector<std::string> names_of(const QuantizedOps& found) {
  std::vector<std::string> names;
  for (const OpInfo& op : found.ops) names.push_back(op.type + " " + op.name);
  return names;
}

ov::Output<ov::Node> quantizer(const ov::Output<ov::Node>& tensor) {
  return std::make_shared<op::FakeQuantize>(tensor, constant({}, {-1}), constant({}, {1}), constant({}, {-1}),
                                            constant({}, {1}), 256);
}

std::shared_ptr<ov::Node> product_with(const ov::Output<ov::Node>& input, const ov::Output<ov::Node>& weights,
                                       const std::string& name) {
  return named(std::make_shared<op::MatMul>(input, weights, false, false), name);
}

TEST(QuantizedOps, AreThoseWithIntegerWeights) {
  const auto x = parameter({-1, 2}, "x");
  const auto integers =
      std::make_shared<op::Convert>(constant({2, 2}, {1, 2, 3, 4}, ov::element::i8), ov::element::f32);
  const auto scaled = std::make_shared<op::Multiply>(integers, constant({}, {0.5f}));
  const auto zero_point = std::make_shared<op::Convert>(constant({}, {128}, ov::element::u8), ov::element::f32);
  const auto shifted = std::make_shared<op::Subtract>(
      std::make_shared<op::Convert>(constant({2, 2}, {1, 2, 3, 4}, ov::element::u8), ov::element::f32), zero_point);
  const auto first = product_with(quantizer(x), scaled, "first"), second = product_with(first, shifted, "second");
  const QuantizedOps found = quantized_ops(as_model({product(second, 2, 2, "third")}, {x}));
  EXPECT_EQ(names_of(found), (std::vector<std::string>{"MatMul first", "MatMul second"}));
  EXPECT_EQ(found.quantizers, 1u);
  EXPECT_EQ(describe(found), "2 ops have int8 weights, and 1 tensor has a quantizer");
}

TEST(QuantizedOps, AreThoseWhoseWeightsHaveAQuantizer) {
  const auto x = parameter({-1, 2}, "x");
  const QuantizedOps found =
      quantized_ops(as_model({product_with(x, quantizer(random_constant({2, 2}, 1)), "fc")}, {x}));
  EXPECT_EQ(names_of(found), std::vector<std::string>{"MatMul fc"});
  EXPECT_EQ(found.quantizers, 0u) << "only activations count";
}

// MatMulInteger of ONNX, which dynamic quantization writes.
TEST(QuantizedOps, AreThoseThatMultiplyIntegers) {
  const auto x = parameter({-1, 2}, "x", ov::element::i32);
  const QuantizedOps found =
      quantized_ops(as_model({product_with(x, constant({2, 2}, {1, 2, 3, 4}, ov::element::i32), "fc")}, {x}));
  EXPECT_EQ(names_of(found), std::vector<std::string>{"MatMul fc"});
}

TEST(QuantizedOps, AreNotProductsOfActivationsAndHalfFloats) {
  const auto x = parameter({2, 2}, "x");
  const auto bytes = parameter({2, 2}, "bytes", ov::element::u8);
  const auto floats = std::make_shared<op::Convert>(bytes, ov::element::f32);
  const auto half = std::make_shared<op::Convert>(constant({2, 2}, {1, 2, 3, 4}, ov::element::f16), ov::element::f32);
  const auto first = product_with(x, floats, "first");
  EXPECT_THAT(names_of(quantized_ops(as_model({product_with(first, half, "second")}, {x, bytes}))), IsEmpty());
}

TEST(UnsupportedProducts, AreCountedByKind) {
  const auto x = parameter({-1, 3, 4}, "x");
  const auto left = product_with(random_constant({5, 3}, 1), x, "left");
  const auto stacked = product_with(left, random_constant({2, 4, 4}, 2), "stacked");
  const auto turned = std::make_shared<op::MatMul>(stacked, random_constant({5, 6}, 3), true, false);
  const auto einsum = std::make_shared<op::Einsum>(ov::OutputVector{x, random_constant({4, 2, 3}, 4)}, "abc,cde->abde");
  const auto plain = product_with(x, random_constant({4, 4}, 5), "plain");
  EXPECT_EQ(unsupported_products(as_model({turned, einsum, plain}, {x})),
            "1 Einsum, 1 MatMul with the weights as first input, 1 MatMul with transposed first input, 1 MatMul with "
            "weights of rank 3");
  const auto scores = std::make_shared<op::MatMul>(x, x, false, true);
  EXPECT_EQ(unsupported_products(as_model({plain, scores}, {x})), "");
}

}  // namespace
}  // namespace lpot
