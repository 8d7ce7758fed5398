#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/tensorflow.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;
using tf::ints;
using tf::text;

using Numbers = std::vector<std::int64_t>;

std::vector<float> filled(const Numbers& shape, unsigned seed) {
  std::size_t count = 1;
  for (const std::int64_t dimension : shape) count *= static_cast<std::size_t>(dimension);
  return random_values(count, seed);
}

struct ConvCase {
  std::string name;
  std::string op;
  Numbers input;
  Numbers kernel;
  tf::Attributes attributes;
  Numbers output_shape = {};  // of transposed convolutions
};

void PrintTo(const ConvCase& c, std::ostream* out) { *out << c.name; }

std::string graph_of(const ConvCase& c) {
  tf::GraphDef graph;
  Numbers batch_free = c.input;
  if (c.output_shape.empty()) batch_free[0] = -1;
  graph.placeholder("x", batch_free);
  graph.constant("w", c.kernel, filled(c.kernel, 7));
  std::vector<std::string> inputs{"x", "w"};
  if (!c.output_shape.empty()) {
    graph.constant("size", {static_cast<std::int64_t>(c.output_shape.size())},
                   std::vector<std::int32_t>(c.output_shape.begin(), c.output_shape.end()));
    inputs = {"size", "w", "x"};
  }
  graph.node("net/kernel", c.op, inputs, c.attributes);
  graph.node("net/relu", "Relu", {"net/kernel"});
  return graph.bytes();
}

class TensorFlowConvolution : public ::testing::TestWithParam<ConvCase> {};

TEST_P(TensorFlowConvolution, MatchesTheFrontEndAndKeepsTheNameOfTheNode) {
  TempFolder folder;
  const auto path = write_bytes(folder / "model.pb", graph_of(GetParam()));
  const Numbers& shape = GetParam().input;
  const Tensor data = random_tensor(Shape(shape.begin(), shape.end()), 11);
  const auto plain = ov::Core().read_model(path.string());
  const Model model = load_model(path);
  EXPECT_EQ(run_plainly(model.graph, {data}), run_plainly(plain, {data}));
  EXPECT_EQ(model.graph->output(0).get_partial_shape(), plain->output(0).get_partial_shape());

  std::vector<std::string> kernels;
  for (const OpInfo& op : list_ops(model))
    if (op.type.find("Convolution") != std::string::npos) kernels.push_back(op.name);
  EXPECT_THAT(kernels, ::testing::ElementsAre("net/kernel"));
}

tf::Attributes with(const std::string& padding, const Numbers& strides, tf::Attributes more = {}) {
  more["padding"] = text(padding);
  more["strides"] = ints(strides);
  return more;
}

INSTANTIATE_TEST_SUITE_P(
    Variants, TensorFlowConvolution,
    ::testing::Values(
        ConvCase{"same", "Conv2D", {2, 8, 8, 3}, {3, 3, 3, 4}, with("SAME", {1, 1, 1, 1})},
        ConvCase{"same_strided_even", "Conv2D", {2, 8, 8, 3}, {3, 3, 3, 4}, with("SAME", {1, 2, 2, 1})},
        ConvCase{"same_strides_differ", "Conv2D", {2, 9, 8, 3}, {3, 2, 3, 4}, with("SAME", {1, 2, 3, 1})},
        ConvCase{"valid", "Conv2D", {2, 9, 7, 3}, {3, 2, 3, 4}, with("VALID", {1, 2, 1, 1})},
        ConvCase{"explicit",
                 "Conv2D",
                 {2, 8, 7, 3},
                 {3, 3, 3, 4},
                 with("EXPLICIT", {1, 2, 2, 1}, {{"explicit_paddings", ints({0, 0, 1, 2, 0, 3, 0, 0})}})},
        ConvCase{"dilated",
                 "Conv2D",
                 {2, 10, 10, 3},
                 {3, 3, 3, 4},
                 with("SAME", {1, 1, 1, 1}, {{"dilations", ints({1, 2, 3, 1})}})},
        ConvCase{"channels_first",
                 "Conv2D",
                 {2, 3, 8, 9},
                 {3, 3, 3, 4},
                 with("SAME", {1, 1, 2, 3}, {{"data_format", text("NCHW")}})},
        ConvCase{"channels_first_explicit",
                 "Conv2D",
                 {2, 3, 8, 9},
                 {3, 3, 3, 4},
                 with("EXPLICIT", {1, 1, 2, 1},
                      {{"data_format", text("NCHW")}, {"explicit_paddings", ints({0, 0, 0, 0, 1, 2, 0, 3})}})},
        ConvCase{"grouped", "Conv2D", {2, 8, 8, 6}, {3, 3, 2, 9}, with("SAME", {1, 1, 1, 1})},
        ConvCase{"depthwise", "DepthwiseConv2dNative", {2, 8, 8, 3}, {3, 3, 3, 1}, with("SAME", {1, 2, 2, 1})},
        ConvCase{
            "depthwise_multiplied", "DepthwiseConv2dNative", {2, 8, 8, 3}, {3, 3, 3, 2}, with("VALID", {1, 1, 1, 1})},
        ConvCase{"depthwise_dilated_channels_first",
                 "DepthwiseConv2dNative",
                 {2, 3, 8, 8},
                 {3, 3, 3, 2},
                 with("SAME", {1, 1, 1, 1}, {{"data_format", text("NCHW")}, {"dilations", ints({1, 1, 2, 2})}})},
        ConvCase{"three_dimensional", "Conv3D", {2, 5, 6, 7, 2}, {3, 2, 3, 2, 4}, with("SAME", {1, 2, 1, 2, 1})},
        ConvCase{"transposed_same",
                 "Conv2DBackpropInput",
                 {2, 4, 4, 3},
                 {3, 3, 5, 3},
                 with("SAME", {1, 2, 2, 1}),
                 {2, 8, 8, 5}},
        ConvCase{"transposed_same_odd",
                 "Conv2DBackpropInput",
                 {2, 4, 4, 3},
                 {2, 2, 5, 3},
                 with("SAME", {1, 2, 2, 1}),
                 {2, 7, 8, 5}},
        ConvCase{"transposed_valid",
                 "Conv2DBackpropInput",
                 {2, 4, 4, 3},
                 {3, 3, 5, 3},
                 with("VALID", {1, 2, 2, 1}),
                 {2, 10, 9, 5}},
        ConvCase{"transposed_explicit",
                 "Conv2DBackpropInput",
                 {2, 4, 4, 3},
                 {3, 3, 5, 3},
                 with("EXPLICIT", {1, 2, 2, 1}, {{"explicit_paddings", ints({0, 0, 1, 0, 0, 1, 0, 0})}}),
                 {2, 8, 8, 5}},
        ConvCase{"transposed_channels_first",
                 "Conv2DBackpropInput",
                 {2, 3, 4, 4},
                 {3, 3, 5, 3},
                 with("SAME", {1, 1, 2, 2}, {{"data_format", text("NCHW")}}),
                 {2, 5, 8, 8}},
        ConvCase{"transposed_three_dimensional",
                 "Conv3DBackpropInputV2",
                 {1, 3, 4, 4, 3},
                 {3, 3, 3, 5, 3},
                 with("SAME", {1, 2, 2, 2, 1}),
                 {1, 6, 8, 8, 5}}),
    [](const auto& test) { return test.param.name; });

// A small frozen graph: strided and depthwise convolutions, biases, batch norm and a dense layer.
std::string network() {
  tf::GraphDef graph;
  graph.placeholder("image", {-1, 8, 8, 3});
  graph.constant("stem/w", {3, 3, 3, 8}, filled({3, 3, 3, 8}, 1));
  graph.node("stem/conv", "Conv2D", {"image", "stem/w"}, with("SAME", {1, 2, 2, 1}));
  graph.constant("stem/b", {8}, filled({8}, 2));
  graph.node("stem/bias", "BiasAdd", {"stem/conv", "stem/b"});
  graph.node("stem/relu", "Relu", {"stem/bias"});
  graph.constant("dw/w", {3, 3, 8, 1}, filled({3, 3, 8, 1}, 3));
  graph.node("dw/conv", "DepthwiseConv2dNative", {"stem/relu", "dw/w"}, with("SAME", {1, 1, 1, 1}));
  graph.constant("dw/scale", {8}, random_values(8, 4, 0.5f, 1.5f));
  graph.constant("dw/offset", {8}, filled({8}, 5));
  graph.constant("dw/mean", {8}, filled({8}, 6));
  graph.constant("dw/variance", {8}, random_values(8, 7, 0.5f, 1.5f));
  graph.node("dw/norm", "FusedBatchNormV3", {"dw/conv", "dw/scale", "dw/offset", "dw/mean", "dw/variance"},
             {{"U", tf::type(tf::kFloat)}, {"epsilon", tf::real(0.001f)}, {"is_training", tf::flag(false)}});
  graph.node("dw/relu", "Relu", {"dw/norm"});
  graph.constant("flat", {2}, std::vector<std::int32_t>{-1, 128});
  graph.node("reshape", "Reshape", {"dw/relu", "flat"}, {{"Tshape", tf::type(tf::kInt32)}});
  graph.constant("fc/w", {128, 5}, filled({128, 5}, 8));
  graph.node("fc/product", "MatMul", {"reshape", "fc/w"},
             {{"transpose_a", tf::flag(false)}, {"transpose_b", tf::flag(false)}});
  graph.constant("fc/b", {5}, filled({5}, 9));
  graph.node("logits", "BiasAdd", {"fc/product", "fc/b"});
  return graph.bytes();
}

std::vector<std::string> kernels_of(const Model& model) {
  std::vector<std::string> names;
  for (const OpInfo& op : list_ops(model))
    if (op.type != "Relu" && op.type != "Add" && op.type != "Reshape" && op.type != "Transpose")
      names.push_back(op.type + " " + op.name);
  return names;
}

TEST(LoadTensorFlow, KeepsTheNamesOfKernelsOnEveryLoad) {
  TempFolder folder;
  const auto path = write_bytes(folder / "net.pb", network());
  const std::vector<std::string> expected{"Convolution stem/conv", "GroupConvolution dw/conv", "MatMul fc/product"};
  EXPECT_EQ(kernels_of(load_model(path)), expected);
  EXPECT_EQ(kernels_of(load_model(path)), expected);
}

TEST(LoadTensorFlow, GivesTheSameNamesOnEveryLoad) {
  TempFolder folder;
  const auto path = write_bytes(folder / "net.pb", network());
  const auto names = [&] {
    std::vector<std::string> found;
    for (const auto& node : load_model(path).graph->get_ordered_ops()) found.push_back(node->get_friendly_name());
    return found;
  };
  EXPECT_EQ(names(), names());
}

TEST(LoadTensorFlow, KeepsSourceNamesThatLookGenerated) {
  TempFolder folder;
  tf::GraphDef graph;
  graph.placeholder("x", {-1, 4});
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back("Relu_" + std::to_string(i));
    graph.node(expected.back(), "Relu", {i == 0 ? "x" : expected[static_cast<std::size_t>(i) - 1]});
  }
  std::vector<std::string> found;
  for (const OpInfo& op : list_ops(load_model(write_bytes(folder / "net.pb", graph.bytes())))) found.push_back(op.name);
  EXPECT_EQ(found, expected);
}

TEST(LoadTensorFlow, FoldsBatchNormAndKeepsTheOutputs) {
  TempFolder folder;
  const auto path = write_bytes(folder / "net.pb", network());
  const Tensor images = random_tensor({3, 8, 8, 3}, 12);
  const auto expected = run_plainly(ov::Core().read_model(path.string()), {images});
  const Model model = load_model(path);
  const auto found = run_plainly(model.graph, {images});
  ASSERT_EQ(found[0].size(), 15u);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(found[0][i], expected[0][i], 1e-4);
  EXPECT_EQ(count_type(model, "Multiply"), 0u);
}

TEST(LoadTensorFlow, KeepsThePorts) {
  TempFolder folder;
  const Model model = load_model(write_bytes(folder / "net.pb", network()));
  EXPECT_EQ(model_inputs(model)[0].describe(), "image:0 f32 [?,8,8,3]");
  EXPECT_EQ(model_outputs(model)[0].describe(), "logits:0 f32 [?,5]");
}

TEST(LoadTensorFlow, ReportsATruncatedGraph) {
  TempFolder folder;
  const std::string bytes = network();
  const auto path = write_bytes(folder / "cut.pb", bytes.substr(0, bytes.size() - 400));
  EXPECT_THAT(message_of<ModelError>([&] { load_model(path); }), HasSubstr("truncated: the field at byte"));
}

TEST(LoadTensorFlow, NamesAnUnsupportedOp) {
  TempFolder folder;
  tf::GraphDef graph;
  graph.placeholder("x", {1, 4});
  graph.node("y", "NoSuchOp", {"x"});
  EXPECT_THAT(message_of<ModelError>([&] { load_model(write_bytes(folder / "odd.pb", graph.bytes())); }),
              HasSubstr("NoSuchOp"));
}

}  // namespace
}  // namespace lpot
