// The head of YOLOv8: boxes and scores leave the model in one tensor, and nothing after the last convolutions is int8.
#include "lpot/quantize/graph/box_decoding.h"

#include <algorithm>
#include <cmath>

#include "lpot/quantize/graph/quantizable_ops.h"
#include "tests/quantize/graph/quantized_graph.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kBins = 8, kClasses = 3, kSide = 8, kCells = kSide * kSide;

std::shared_ptr<ov::Node> integers(const std::vector<std::int64_t>& values) {
  return op::Constant::create(ov::element::i64, {values.size()}, values);
}

// stem -> boxes, scores -> Concat -> Split; boxes: softmax over bins -> convolution (expected value) -> pixels. The
// output is [1,4+classes,cells] with distances in pixels and scores in 0..1.
Model yolo_head() {
  const auto x = parameter({1, 4, kSide, kSide}, "x");
  const auto stem = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "stem")), "relu");
  const auto boxes = conv3x3(stem, 16, 4 * kBins, "boxes", 2);
  const auto scores = conv3x3(stem, 16, kClasses, "scores", 3);
  const auto both = std::make_shared<op::Concat>(ov::OutputVector{boxes, scores}, 1);
  const auto flat = std::make_shared<op::Reshape>(both, integers({1, 4 * kBins + kClasses, kCells}), false);
  const auto parts = std::make_shared<op::VariadicSplit>(flat, op::Constant::create(ov::element::i64, {}, {1}),
                                                         integers({4 * kBins, kClasses}));
  const auto sides = std::make_shared<op::Reshape>(parts->output(0), integers({1, 4, kBins, kCells}), false);
  const auto bins = std::make_shared<op::Transpose>(sides, integers({0, 2, 1, 3}));
  std::vector<float> numbers(kBins);
  for (std::size_t i = 0; i < kBins; ++i) numbers[i] = static_cast<float>(i);
  const auto expected =
      named(std::make_shared<op::Convolution>(std::make_shared<op::Softmax>(bins, 1),
                                              constant({1, kBins, 1, 1}, numbers), ov::Strides{1, 1},
                                              ov::CoordinateDiff{0, 0}, ov::CoordinateDiff{0, 0}, ov::Strides{1, 1}),
            "expected");
  const auto distances = std::make_shared<op::Reshape>(expected, integers({1, 4, kCells}), false);
  const auto pixels = std::make_shared<op::Multiply>(distances, constant({}, {80}));
  const auto out =
      std::make_shared<op::Concat>(ov::OutputVector{pixels, std::make_shared<op::Sigmoid>(parts->output(1))}, 1);
  return as_model({named(out, "out")}, {x});
}

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const QuantizableOp& quantizable : quantizable_ops(model)) names.push_back(quantizable.name);
  return names;
}

TEST(BoxDecoding, StaysInFloat) { EXPECT_THAT(names_of(yolo_head()), ElementsAre("stem", "boxes", "scores")); }

TEST(BoxDecoding, GivesBoxesAndScoresNoCommonScale) {
  const Quantized head(yolo_head());
  EXPECT_THAT(head.quantizers(), testing::UnorderedElementsAre("x/quantize", "relu/quantize"));
}

TEST(BoxDecoding, LeavesOtherConvolutionsBehindASoftmax) {
  const auto x = parameter({1, 8, kSide, kSide}, "x");
  const auto attention = std::make_shared<op::Softmax>(conv3x3(x, 8, 8, "a"), 1);
  EXPECT_THAT(names_of(as_model({conv3x3(attention, 8, 4, "b", 2)}, {x})), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace lpot
