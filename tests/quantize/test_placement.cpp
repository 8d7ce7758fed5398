// Integers flow through ops that resize: what really runs, and what it gives.
#include <cmath>

#include "lpot/quantize/capability.h"
#include "lpot/quantize/quantize.h"
#include "lpot/runtime/executable.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::UnorderedElementsAre;
using Between = std::function<std::shared_ptr<ov::Node>(const ov::Output<ov::Node>&)>;

// conv a -> relu -> `between` -> conv b
Model around(const Between& between) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "relu");
  return as_model({conv3x3(named(between(relu), "between"), 16, 4, "b", 2)}, {x});
}

std::shared_ptr<ov::Node> resized(const ov::Output<ov::Node>& tensor, op::Interpolate::InterpolateMode mode) {
  using Resize = op::Interpolate;
  Resize::InterpolateAttrs attributes;
  attributes.mode = mode;
  attributes.shape_calculation_mode = Resize::ShapeCalcMode::SIZES;
  attributes.coordinate_transformation_mode = Resize::CoordinateTransformMode::ASYMMETRIC;
  attributes.nearest_mode = Resize::NearestMode::FLOOR;
  const auto integers = [](const std::vector<std::int64_t>& values) {
    return op::Constant::create(ov::element::i64, {2}, values);
  };
  return std::make_shared<Resize>(tensor, integers({16, 16}), constant({2}, {2, 2}), integers({2, 3}), attributes);
}

std::shared_ptr<ov::Node> padded(const ov::Output<ov::Node>& tensor, float value) {
  const auto sizes = op::Constant::create(ov::element::i64, {4}, {0, 0, 1, 1});
  return std::make_shared<op::Pad>(tensor, sizes, sizes, constant({}, {value}), ov::op::PadMode::CONSTANT);
}

struct Quantized {
  Model model;
  Model int8;

  explicit Quantized(const Between& between) : model(around(between)) {
    Plan plan;
    for (const QuantizableOp& op : quantizable_ops(model))
      plan.ops[op.name] = {Precision::Int8,
                           {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                           {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};
    const auto statistics =
        observe(model, observation_points(model),
                loader_of(unlabelled({random_tensor({4, 8, 8}, 1), random_tensor({4, 8, 8}, 2)})), {})
            .snapshots.back();
    int8 = quantize(model, plan, statistics);
  }

  std::vector<std::string> quantizers() const {
    std::vector<std::string> names;
    for (const OpInfo& op : list_ops(int8))
      if (op.type == "FakeQuantize") names.push_back(op.name);
    return names;
  }

  // What the first convolution writes.
  std::string handed_on() const {
    const Executable executable(int8);
    for (const ExecutedOp& kernel : executable.executed_ops())
      if (kernel.name == "a") return kernel.precision;
    return "nothing";
  }

  double error() const {
    const Tensor input = random_tensor({1, 4, 8, 8}, 7);
    const Tensor expected = Executable(model).infer({input})[0], found = Executable(int8).infer({input})[0];
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      difference += std::fabs(found.value_at(i) - expected.value_at(i));
      size += std::fabs(expected.value_at(i));
    }
    return difference / size;
  }
};

TEST(Placement, IntegersFlowThroughResizingToTheNearest) {
  const Quantized nearest([](const auto& x) { return resized(x, op::Interpolate::InterpolateMode::NEAREST); });
  EXPECT_THAT(nearest.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
  EXPECT_EQ(nearest.handed_on(), "u8");
  EXPECT_LT(nearest.error(), 0.05);
}

TEST(Placement, ResizingThatMixesValuesHasItsQuantizerBehind) {
  const Quantized linear([](const auto& x) { return resized(x, op::Interpolate::InterpolateMode::LINEAR_ONNX); });
  EXPECT_THAT(linear.quantizers(), UnorderedElementsAre("x/quantize", "between/quantize"));
  EXPECT_LT(linear.error(), 0.05);
}

TEST(Placement, IntegersFlowThroughPaddingWithZeros) {
  const Quantized zeros([](const auto& x) { return padded(x, 0.0f); });
  EXPECT_THAT(zeros.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
  EXPECT_EQ(zeros.handed_on(), "u8");
  EXPECT_LT(zeros.error(), 0.05);
}

TEST(Placement, PaddingWithANumberHasItsQuantizerBehind) {
  const Quantized ones([](const auto& x) { return padded(x, 1.37f); });
  EXPECT_THAT(ones.quantizers(), UnorderedElementsAre("x/quantize", "between/quantize"));
  EXPECT_LT(ones.error(), 0.05);
}

}  // namespace
}  // namespace lpot
