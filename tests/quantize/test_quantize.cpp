#include "lpot/quantize/quantize.h"

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "lpot/plan/search_space.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/graph/weights.h"
#include "lpot/runtime/executable.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

OpPlan int8(Symmetry symmetry = Symmetry::Asymmetric, Granularity granularity = Granularity::PerChannel) {
  // Half range, which is exact on every CPU.
  return {Precision::Int8,
          {Algorithm::MinMax, Granularity::PerTensor, symmetry, 8},
          {Algorithm::MinMax, granularity, Symmetry::Symmetric, 7}};
}

Plan all_int8(const Model& model, const OpPlan& choice = int8()) {
  Plan plan;
  for (const QuantizableOp& op : quantizable_ops(model)) plan.ops[op.name] = choice;
  return plan;
}

Statistics calibrated(const Model& model, const std::vector<Tensor>& inputs) {
  return observe(model, observation_points(quantizable_ops(model)), loader_of(unlabelled(inputs)), {}).snapshots.back();
}

std::vector<Tensor> images(std::size_t count) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(random_tensor({1, 28, 28}, static_cast<unsigned>(i), 0, 1));
  return result;
}

bool is_kernel(const ExecutedOp& op) {
  return op.type == "Convolution" || op.type == "Deconvolution" || op.type == "FullyConnected";
}

// The number of int8 kernels that came from this op.
std::size_t int8_kernels_of(const Executable& executable, const std::string& name) {
  // The plug-in moves the multiplication by the scales after a product and gives it the product's name.
  const auto is_from = [&](const std::string& source) { return source == name || source.starts_with(name + "/"); };
  std::size_t count = 0;
  for (const ExecutedOp& op : executable.executed_ops())
    count += is_kernel(op) && op.is_int8() && std::any_of(op.source_names.begin(), op.source_names.end(), is_from);
  return count;
}

std::size_t fp32_kernels(const Executable& executable) {
  std::size_t count = 0;
  for (const ExecutedOp& op : executable.executed_ops()) count += is_kernel(op) && !op.is_int8();
  return count;
}

TEST(Quantize, RunsExactlyThePlannedOpsOfTheQuickstartModelInInt8) {
  const Model model = load_model(quickstart_model());
  const Statistics statistics = calibrated(model, images(4));
  const std::vector<std::string> some{"/stem/conv/Conv", "/block3/dw/conv/Conv", "/fc/Gemm"};
  for (const std::vector<std::string>& fallback : {std::vector<std::string>{}, some}) {
    Plan plan = all_int8(model);
    for (const std::string& name : fallback) plan.ops.at(name) = {};
    const Executable executable(quantize(model, plan, statistics), {.input_shapes = {{1, 1, 28, 28}}});
    for (const auto& [name, op] : plan.ops)
      EXPECT_EQ(int8_kernels_of(executable, name), op.precision == Precision::Int8 ? 1u : 0u) << name;
    EXPECT_EQ(fp32_kernels(executable), fallback.size());
  }
}

TEST(Quantize, StaysCloseToTheFp32Outputs) {
  const Model model = load_model(quickstart_model());
  const Model quantized = quantize(model, all_int8(model), calibrated(model, images(8)));
  const Tensor batch = stack(images(8));
  const auto expected = run_plainly(model.graph, {batch})[0], found = run_plainly(quantized.graph, {batch})[0];
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    signal += expected[i] * expected[i];
    noise += (expected[i] - found[i]) * (expected[i] - found[i]);
  }
  EXPECT_GT(10 * std::log10(signal / noise), 20);  // dB
}

TEST(Quantize, DoesNotChangeTheSourceModel) {
  const Model model = load_model(quickstart_model());
  const Tensor batch = stack(images(2));
  const auto before = run_plainly(model.graph, {batch});
  quantize(model, all_int8(model), calibrated(model, images(2)));
  EXPECT_EQ(run_plainly(model.graph, {batch}), before);
  EXPECT_EQ(count_type(model, "FakeQuantize"), 0u);
}

TEST(Quantize, KeepsTheNamesOfOpsThroughSavingAndLoading) {
  TempFolder folder;
  const Model model = load_model(quickstart_model());
  const Model quantized = quantize(model, all_int8(model), calibrated(model, images(2)));
  save_model(quantized, folder / "int8.xml");
  const Model again = load_model(folder / "int8.xml");
  std::vector<std::string> expected, found;
  for (const OpInfo& op : list_ops(quantized)) expected.push_back(op.type + " " + op.name);
  for (const OpInfo& op : list_ops(again)) found.push_back(op.type + " " + op.name);
  EXPECT_EQ(found, expected);
  const Tensor batch = stack(images(2));
  EXPECT_EQ(run_plainly(again.graph, {batch}), run_plainly(quantized.graph, {batch}));
}

TEST(Quantize, StoresWeightsInAQuarterOfTheSpace) {
  TempFolder folder;
  const Model model = load_model(quickstart_model());
  save_model(model, folder / "fp32.xml");
  save_model(quantize(model, all_int8(model), calibrated(model, images(2))), folder / "int8.xml");
  const auto fp32 = static_cast<double>(std::filesystem::file_size(folder / "fp32.bin"));
  const auto int8 = static_cast<double>(std::filesystem::file_size(folder / "int8.bin"));
  EXPECT_LT(int8 / fp32, 0.3);
  for (const auto& node : load_model(folder / "int8.xml").graph->get_ordered_ops())
    if (const auto weights = ov::as_type_ptr<op::Constant>(node);
        weights && weights->get_element_type() == ov::element::i8)
      for (const std::int8_t value : weights->cast_vector<std::int8_t>()) {
        ASSERT_LE(std::abs(value), 63);
      }
}

TEST(Quantize, QuantizesATensorOnceForAllItsReaders) {
  const auto x = parameter({1, 3, 6, 6}, "x");
  const Model model = as_model({conv3x3(x, 3, 4, "a", 1), conv3x3(x, 3, 4, "b", 2)}, {x});
  const Statistics statistics = calibrated(model, {random_tensor({3, 6, 6}, 1)});
  EXPECT_EQ(count_type(quantize(model, all_int8(model), statistics), "FakeQuantize"), 1u);

  Plan different = all_int8(model);
  different.ops["b"] = int8(Symmetry::Symmetric);
  EXPECT_EQ(count_type(quantize(model, different, statistics), "FakeQuantize"), 2u);
}

TEST(Quantize, QuantizesWeightsPerTensorOrPerChannel) {
  const auto x = parameter({1, 3, 6, 6}, "x");
  const Model model = as_model({conv3x3(x, 3, 4, "a")}, {x});
  const Statistics statistics = calibrated(model, {random_tensor({3, 6, 6}, 1)});
  for (const auto& [granularity, shape] : {std::pair{Granularity::PerTensor, ov::Shape{1, 1, 1, 1}},
                                           std::pair{Granularity::PerChannel, ov::Shape{4, 1, 1, 1}}})
    for (const auto& node :
         quantize(model, all_int8(model, int8(Symmetry::Asymmetric, granularity)), statistics).graph->get_ordered_ops())
      if (ov::is_type<op::Multiply>(node)) {
        EXPECT_EQ(node->get_input_shape(1), shape);
      }
}

TEST(Quantize, RejectsThePlanOfAnotherModel) {
  const auto x = parameter({1, 3, 6, 6}, "x");
  const Model model = as_model({conv3x3(x, 3, 4, "a")}, {x});
  Plan plan;
  plan.ops["layer7"] = int8();
  EXPECT_THAT(message_of<ModelError>([&] { quantize(model, plan, {}); }),
              AllOf(HasSubstr("'layer7'"), HasSubstr("the model it was made for")));
}

TEST(Quantize, NamesTheTensorWithoutStatistics) {
  const auto x = parameter({1, 3, 6, 6}, "image");
  const Model model = as_model({conv3x3(x, 3, 4, "a")}, {x});
  EXPECT_THAT(message_of<DataError>([&] { quantize(model, all_int8(model), {}); }),
              AllOf(HasSubstr("op 'a'"), HasSubstr("input 'image'")));
}

TEST(QuantizableOps, AreThoseWithConstantWeightsAndAFloatInput) {
  const auto x = parameter({1, 3, 6, 6}, "x");
  const auto y = parameter({1, 6, 6}, "y");
  const auto computed = std::make_shared<op::MatMul>(x, y, false, false);
  const auto half = parameter({1, 4}, "half", ov::element::f16);
  const auto half_product =
      std::make_shared<op::MatMul>(half, constant({4, 2}, random_values(8, 1), ov::element::f16), false, false);
  const Model model =
      as_model({conv3x3(x, 3, 4, "conv"), product(x, 6, 2, "product"), computed, half_product}, {x, y, half});
  std::vector<std::string> names;
  for (const QuantizableOp& op : quantizable_ops(model)) names.push_back(op.name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("conv", "product"));
}

TEST(QuantizableOps, AreFoundInAModelSavedInHalfPrecision) {
  TempFolder folder;
  ov::save_model(load_model(quickstart_model()).graph, (folder / "half.xml").string(), /*compress_to_fp16=*/true);
  const Model model = load_model(folder / "half.xml");
  ASSERT_EQ(quantizable_ops(model).size(), 9u);
  const Executable executable(quantize(model, all_int8(model), calibrated(model, images(1))),
                              {.input_shapes = {{1, 1, 28, 28}}});
  EXPECT_EQ(int8_kernels_of(executable, "/stem/conv/Conv"), 1u);
}

// One op with constant weights.
struct KernelCase {
  std::string name;
  std::string op_type;
  Shape input;
  std::function<std::shared_ptr<ov::Node>(const ov::Output<ov::Node>&, const std::shared_ptr<op::Constant>&)> make;
  ov::Shape weights;
  std::vector<std::size_t> channel_axes;
};
void PrintTo(const KernelCase& kernel, std::ostream* out) { *out << kernel.name; }

const ov::Strides kOne{1, 1}, kTwo{2, 2};
const ov::CoordinateDiff kPad{1, 1}, kNoPad{0, 0};

const std::vector<KernelCase> kKernels{
    {"convolution",
     "Convolution",
     {2, 8, 7, 7},
     [](const auto& x, const auto& w) { return std::make_shared<op::Convolution>(x, w, kTwo, kPad, kPad, kOne); },
     {6, 8, 3, 3},
     {0}},
    {"pointwise",
     "Convolution",
     {2, 16, 5, 5},
     [](const auto& x, const auto& w) { return std::make_shared<op::Convolution>(x, w, kOne, kNoPad, kNoPad, kOne); },
     {16, 16, 1, 1},
     {0}},
    {"depthwise",
     "GroupConvolution",
     {2, 16, 7, 7},
     [](const auto& x, const auto& w) { return std::make_shared<op::GroupConvolution>(x, w, kOne, kPad, kPad, kOne); },
     {16, 1, 1, 3, 3},
     {0, 1}},
    {"grouped",
     "GroupConvolution",
     {2, 8, 7, 7},
     [](const auto& x, const auto& w) { return std::make_shared<op::GroupConvolution>(x, w, kOne, kPad, kPad, kOne); },
     {2, 3, 4, 3, 3},
     {0, 1}},
    {"transposed",
     "ConvolutionBackpropData",
     {2, 8, 5, 5},
     [](const auto& x, const auto& w) {
       return std::make_shared<op::ConvolutionBackpropData>(x, w, kTwo, kNoPad, kNoPad, kOne);
     },
     {8, 6, 2, 2},
     {1}},
    {"product",
     "MatMul",
     {5, 32},
     [](const auto& x, const auto& w) { return std::make_shared<op::MatMul>(x, w, false, false); },
     {32, 12},
     {1}},
    {"product_turned",
     "MatMul",
     {2, 5, 32},
     [](const auto& x, const auto& w) { return std::make_shared<op::MatMul>(x, w, false, true); },
     {12, 32},
     {0}},
};

// Inputs over the full range of an activation that lie well inside the rounding interval of a level, so that rounding
// is unambiguous.
struct Activations {
  double step = 0;
  Tensor data;      // input of the model
  Tensor integers;  // the level of each value, relative to the zero level
  Tensor fake;      // the value of the level
  Statistics statistics;
};

Activations make_activations(const Shape& shape, Symmetry symmetry) {
  const Range range = symmetry == Symmetry::Symmetric ? Range{-1.7f, 1.7f} : Range{-0.6f, 1.7f};
  const Range levels = activation_levels(range, symmetry);
  Activations made{(double(levels.high) - double(levels.low)) / 255,
                   Tensor(ElementType::F32, shape),
                   Tensor(ElementType::F32, shape),
                   Tensor(ElementType::F32, shape),
                   {}};
  const int zero = static_cast<int>(std::lround(-double(levels.low) / made.step));
  const auto random = random_values(2 * made.data.size(), 7, 0, 1);
  for (std::size_t i = 0; i < made.data.size(); ++i) {
    const int level = i == 0 ? 0 : i == 1 ? 255 : std::min(255, static_cast<int>(random[2 * i] * 256));
    const double shift = i < 2 ? 0 : 0.8 * (random[2 * i + 1] - 0.5);
    made.data.data<float>()[i] = static_cast<float>((level - zero + shift) * made.step);
    made.integers.data<float>()[i] = static_cast<float>(level - zero);
    made.fake.data<float>()[i] = static_cast<float>((level - zero) * made.step);
  }
  made.statistics["x"].add(Tensor::from<float>({1, 2}, {range.low, range.high}), 1);
  return made;
}

// The scale of every weight.
std::vector<float> spread_scales(const QuantizedWeights& quantized, const Shape& shape) {
  std::vector<float> scales(quantized.values.size());
  for (std::size_t i = 0; i < scales.size(); ++i) {
    std::size_t position = 0, stride = 1;
    for (std::size_t d = shape.size(), rest = i; d-- > 0; rest /= shape[d]) {
      position += (quantized.scale_shape[d] == 1 ? 0 : rest % shape[d]) * stride;
      stride *= quantized.scale_shape[d];
    }
    scales[i] = quantized.scales[position];
  }
  return scales;
}

Tensor mapped(const Tensor& tensor, float (*function)(float)) {
  Tensor result(ElementType::F32, tensor.shape());
  std::transform(tensor.data<float>(), tensor.data<float>() + tensor.size(), result.data<float>(), function);
  return result;
}

class QuantizedKernel : public ::testing::TestWithParam<std::tuple<KernelCase, Symmetry, Granularity>> {
 protected:
  const KernelCase kernel_ = std::get<0>(GetParam());
  const OpPlan choice_ = int8(std::get<1>(GetParam()), std::get<2>(GetParam()));
  const Activations x_ = make_activations(kernel_.input, std::get<1>(GetParam()));
  const Shape weight_shape_{kernel_.weights.begin(), kernel_.weights.end()};
  const std::vector<float> weights_ = random_values(element_count(weight_shape_), 5, -0.6f, 0.9f);
  const QuantizedWeights quantized_ = quantize_weights(weights_, weight_shape_, kernel_.channel_axes, choice_.weight);
  const std::vector<float> scales_ = spread_scales(quantized_, weight_shape_);

  Model model_with(const std::vector<float>& weights) const {
    const auto x = parameter(ov::PartialShape(ov::Shape(kernel_.input.begin(), kernel_.input.end())), "x");
    return as_model({named(kernel_.make(x, constant(kernel_.weights, weights)), "kernel")}, {x});
  }
  std::vector<float> run(const std::vector<float>& weights, const Tensor& input) const {
    return run_plainly(model_with(weights).graph, {input})[0];
  }
  std::vector<float> run_int8() const {
    Executable executable(quantize(model_with(weights_), Plan{.ops = {{"kernel", choice_}}}, x_.statistics));
    EXPECT_EQ(int8_kernels_of(executable, "kernel"), 1u);
    const Tensor output = executable.infer({x_.data})[0];
    return {output.data<float>(), output.data<float>() + output.size()};
  }
};

// Three computations agree: the plug-in's int8 kernel, an fp32 run on fake-quantized values, and integer sums times
// their scales. (Sums below 2^24 are exact in fp32 too. Only a single scale can be factored out of the sum.)
TEST_P(QuantizedKernel, AgreesWithIntegerArithmetic) {
  std::vector<float> integers(quantized_.values.begin(), quantized_.values.end()), fake = integers;
  for (std::size_t i = 0; i < fake.size(); ++i) fake[i] *= scales_[i];
  const auto found = run_int8(), faked = run(fake, x_.fake), sums = run(integers, x_.integers);
  ASSERT_EQ(found.size(), faked.size());
  float largest = 0;
  for (const float value : faked) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], faked[i], 2e-5 * largest) << "value " << i;
    if (quantized_.scales.size() == 1) {
      ASSERT_NEAR(found[i], sums[i] * x_.step * quantized_.scales[0], 2e-5 * largest) << "value " << i;
    }
  }
}

// |(x+a)(w+b) - xw| <= |a||w| + |b||x| + |a||b| with |a| <= step/2 and |b| <= scale/2, summed as the kernel sums.
TEST_P(QuantizedKernel, StaysWithinTheDerivedBoundOfFp32) {
  const Tensor ones = mapped(x_.data, [](float) { return 1.0f; });
  std::vector<float> magnitudes = weights_;
  for (float& weight : magnitudes) weight = std::fabs(weight);
  const auto found = run_int8(), fp32 = run(weights_, x_.data);
  const auto of_weights = run(magnitudes, ones), of_scales = run(scales_, ones);
  const auto of_inputs = run(scales_, mapped(x_.data, [](float value) { return std::fabs(value); }));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double bound = x_.step / 2 * of_weights[i] + of_inputs[i] / 2 + x_.step / 4 * of_scales[i];
    ASSERT_LE(std::fabs(found[i] - fp32[i]), bound * 1.001 + 1e-5) << "value " << i;
  }
}

// All combinations that the capability table declares.
std::vector<std::tuple<KernelCase, Symmetry, Granularity>> promised() {
  std::vector<std::tuple<KernelCase, Symmetry, Granularity>> result;
  for (const KernelCase& kernel : kKernels)
    for (const Capability& row : capabilities())
      if (row.op_type == kernel.op_type)
        for (const Symmetry symmetry : row.activation_symmetries)
          for (const Granularity granularity : row.weight_granularities)
            result.emplace_back(kernel, symmetry, granularity);
  return result;
}

std::string kernel_test_name(const ::testing::TestParamInfo<std::tuple<KernelCase, Symmetry, Granularity>>& test) {
  const auto& [kernel, symmetry, granularity] = test.param;
  return kernel.name + "_" + std::string(to_string(symmetry)) + "_" + std::string(to_string(granularity));
}

INSTANTIATE_TEST_SUITE_P(Kernels, QuantizedKernel, ::testing::ValuesIn(promised()), kernel_test_name);

}  // namespace
}  // namespace lpot
