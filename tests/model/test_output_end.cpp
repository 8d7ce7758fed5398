#include "lpot/model/output_end.h"

#include <gtest/gtest.h>

#include "tests/support/graphs.h"

namespace lpot {
namespace {

using Output = ov::Output<ov::Node>;

Output axes(const std::vector<std::int64_t>& values) {
  return op::Constant::create(ov::element::i64, {values.size()}, values);
}

OutputEnd end_of(const std::shared_ptr<op::Parameter>& input, const Output& output) {
  return output_end(as_model({output.get_node_shared_ptr()}, {input}), 0);
}

Output reduced(const Output& values) { return std::make_shared<op::ReduceSum>(values, axes({-1}), true); }

TEST(OutputEnd, FindsTheAxisOfASoftmax) {
  const auto x = parameter({-1, 5, 8, 9}, "x");
  const auto softmax = std::make_shared<op::Softmax>(x, -3);
  EXPECT_EQ(end_of(x, softmax).kind, OutputEndKind::Softmax);
  EXPECT_EQ(end_of(x, softmax).axis, 1u);
  const auto moved = std::make_shared<op::Transpose>(softmax, axes({0, 2, 3, 1}));
  EXPECT_EQ(end_of(x, moved).axis, 3u);
  const auto reshaped = std::make_shared<op::Reshape>(softmax, axes({0, 5, -1}), true);
  EXPECT_EQ(end_of(x, reshaped).axis, 1u) << "the only one of this size";
  EXPECT_EQ(end_of(x, std::make_shared<op::LogSoftmax>(x, 1)).axis, 1u);
}

TEST(OutputEnd, FindsSoftmaxOfSingleOps) {
  const auto x = parameter({-1, 5}, "x");
  const auto exponentials = std::make_shared<op::Exp>(x);
  EXPECT_EQ(end_of(x, std::make_shared<op::Divide>(exponentials, reduced(exponentials))).kind, OutputEndKind::Softmax);
}

TEST(OutputEnd, FindsTheDivisionByTheNorm) {
  const auto x = parameter({-1, 5}, "x");
  const auto norm = std::make_shared<op::ReduceL2>(x, axes({1}), true);
  const auto clamped = std::make_shared<op::Clamp>(norm, 1e-12, 1e12);
  const auto clipped =
      std::make_shared<op::Minimum>(constant({}, {1e12f}), std::make_shared<op::Maximum>(constant({}, {1e-12f}), norm));
  EXPECT_EQ(end_of(x, std::make_shared<op::Divide>(x, clipped)).kind, OutputEndKind::UnitNorm) << "Clip of ONNX";
  EXPECT_EQ(end_of(x, std::make_shared<op::Divide>(x, clamped)).kind, OutputEndKind::UnitNorm);
  const auto squares = reduced(std::make_shared<op::Multiply>(x, x));
  const auto root = std::make_shared<op::Sqrt>(std::make_shared<op::Maximum>(constant({}, {1e-12f}), squares));
  EXPECT_EQ(end_of(x, std::make_shared<op::Divide>(x, root)).kind, OutputEndKind::UnitNorm);
  const auto inverse = std::make_shared<op::Power>(squares, constant({}, {-0.5f}));
  EXPECT_EQ(end_of(x, std::make_shared<op::Multiply>(x, inverse)).kind, OutputEndKind::UnitNorm);
  EXPECT_EQ(end_of(x, std::make_shared<op::Divide>(x, reduced(x))).kind, OutputEndKind::Other) << "only a sum";
}

TEST(OutputEnd, FindsTheLastOp) {
  const auto x = parameter({-1, 5}, "x");
  EXPECT_EQ(end_of(x, std::make_shared<op::Sigmoid>(x)).kind, OutputEndKind::Sigmoid);
  const auto shares = std::make_shared<op::Unsqueeze>(std::make_shared<op::Sigmoid>(x), axes({2}));
  EXPECT_EQ(end_of(x, std::make_shared<op::ReduceMean>(shares, axes({1}), false)).kind, OutputEndKind::Sigmoid);
  EXPECT_EQ(end_of(x, std::make_shared<op::Tanh>(x)).kind, OutputEndKind::Tanh);
  EXPECT_EQ(end_of(x, std::make_shared<op::ReduceMean>(x, axes({1}), true)).kind, OutputEndKind::Mean);
  const auto product = std::make_shared<op::MatMul>(x, constant({5, 3}, std::vector<float>(15, 1)));
  EXPECT_EQ(end_of(x, std::make_shared<op::Add>(product, constant({3}, {1, 2, 3}))).kind, OutputEndKind::Linear);
  const auto deviation = std::make_shared<op::Sqrt>(std::make_shared<op::ReduceMean>(x, axes({1}), true));
  const auto normalized =
      std::make_shared<op::Multiply>(std::make_shared<op::Divide>(x, deviation), constant({5}, {1, 2, 3, 4, 5}));
  EXPECT_EQ(end_of(x, std::make_shared<op::Add>(normalized, constant({5}, {1, 2, 3, 4, 5}))).kind,
            OutputEndKind::Normalization);
  EXPECT_EQ(end_of(x, std::make_shared<op::Relu>(x)).kind, OutputEndKind::Other);
  EXPECT_EQ(end_of(x, std::make_shared<op::Relu>(x)).op, "Relu");
}

TEST(BoxSuppression, IsFoundInTheGraph) {
  const auto boxes = parameter({1, 20, 4}, "boxes"), scores = parameter({1, 2, 20}, "scores");
  const auto nms = std::make_shared<op::NonMaxSuppression>(
      boxes, scores, op::Constant::create(ov::element::i64, {}, {5}), constant({}, {0.5f}), constant({}, {0.1f}));
  EXPECT_TRUE(has_box_suppression(as_model({nms}, {boxes, scores})));
  const auto x = parameter({-1, 5}, "x");
  EXPECT_FALSE(has_box_suppression(as_model({std::make_shared<op::Relu>(x)}, {x})));
}

}  // namespace
}  // namespace lpot
