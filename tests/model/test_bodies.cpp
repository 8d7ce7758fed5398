#include "lpot/model/bodies.h"

#include <gmock/gmock.h>

#include <set>

#include "lpot/model/load.h"
#include "lpot/model/onnx_file.h"
#include "lpot/model/save.h"
#include "tests/model/encode.h"
#include "tests/support/control_flow.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

Model reload(const std::shared_ptr<ov::Model>& graph, const std::filesystem::path& file) {
  Model model;
  model.graph = graph;
  save_model(model, file);
  return load_model(file);
}

std::vector<std::string> names_of_kernels(const Model& model) {
  std::vector<std::string> names;
  for (const OpInfo& op : list_ops(model))
    if (op.type == "Convolution" || op.type == "MatMul") names.push_back(op.name);
  return names;
}

TEST(Bodies, NamesOfOpsBeginWithThePath) {
  const TempFolder folder;
  EXPECT_THAT(names_of_kernels(reload(if_graph(), folder / "if.xml")),
              ElementsAre("If/then/first", "If/then/second", "If/else/only"));
  EXPECT_THAT(names_of_kernels(reload(nested_if_graph(), folder / "nested.xml")),
              ElementsAre("outer/then/inner/then/first", "outer/then/inner/then/second", "outer/then/inner/else/only",
                          "outer/else/only"));
  EXPECT_THAT(names_of_kernels(reload(loop_graph(3), folder / "loop.xml")), ElementsAre("Loop/body/recurrent"));
  EXPECT_THAT(names_of_kernels(reload(iterator_graph(), folder / "iterator.xml")),
              UnorderedElementsAre("Iterator/body/input", "Iterator/body/recurrent"));
}

TEST(Bodies, ASavedModelKeepsItsNames) {
  const TempFolder folder;
  const Model first = reload(nested_if_graph(), folder / "first.xml");
  const Model second = reload(first.graph, folder / "second.xml");
  std::set<std::string> names;
  for (const auto& node : all_ops(*first.graph)) names.insert(node->get_friendly_name());
  EXPECT_EQ(names.size(), all_ops(*first.graph).size());
  const std::vector<OpInfo> before = list_ops(first), after = list_ops(second);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].name, after[i].name);
}

TEST(Bodies, FoldsBatchNormInsideABody) {
  const TempFolder folder;
  const auto x = parameter({-1, 4, 6, 6}, "x");
  const auto scaled = [](const ov::Output<ov::Node>& in) -> ov::Output<ov::Node> {
    const auto factors = constant({1, 4, 1, 1}, {0.5f, 2, 3, 4});
    return std::make_shared<op::Multiply>(conv3x3(in, 4, 4, "only", 3), factors)->output(0);
  };
  const auto y = if_above(x, 0, scaled, one_convolution);
  const auto graph = std::make_shared<ov::Model>(ov::OutputVector{y}, ov::ParameterVector{x});
  const std::vector<Tensor> input{random_tensor({1, 4, 6, 6}, 8, 0, 1)};
  const auto expected = run_plainly(graph, input);
  const Model model = reload(graph, folder / "scaled.xml");
  for (const OpInfo& op : list_ops(model)) EXPECT_NE(op.type, "Multiply") << op.name;
  const auto found = run_plainly(model.graph, input);
  for (std::size_t i = 0; i < expected[0].size(); ++i) EXPECT_NEAR(found[0][i], expected[0][i], 1e-4);
}

// The outputs of the graph that `outputs` exposes, for one input.
std::vector<float> values_of(const std::shared_ptr<ov::Model>& graph, const ov::Output<ov::Node>& tensor,
                             const Tensor& input) {
  const auto watched = std::make_shared<ov::Model>(ov::OutputVector{tensor}, graph->get_parameters());
  return run_plainly(watched, {input})[0];
}

ov::Output<ov::Node> tensor_in(const ov::Model& graph, const std::string& name) {
  for (const auto& node : all_ops(graph))
    if (node->get_friendly_name() == name) return node->output(0);
  throw std::runtime_error("no op " + name);
}

TEST(BodyOutputs, ABranchThatIsNotTakenHasNoValues) {
  const auto graph = if_graph();
  const auto exposed = BodyOutputs(*graph).expose(tensor_in(*graph, "first"));
  ASSERT_TRUE(exposed);
  EXPECT_EQ(exposed->iteration_axes, 0u);
  const Tensor taken = random_tensor({1, 4, 6, 6}, 1, 0, 1), not_taken = random_tensor({1, 4, 6, 6}, 1, -1, 0);
  const auto x = parameter({-1, 4, 6, 6}, "x");
  const auto expected = run_plainly(
      std::make_shared<ov::Model>(ov::OutputVector{conv3x3(x, 4, 8, "first", 1)}, ov::ParameterVector{x}), {taken})[0];
  const auto found = values_of(graph, exposed->tensor, taken);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5);
  EXPECT_EQ(values_of(graph, exposed->tensor, not_taken).size(), 0u);
}

TEST(BodyOutputs, ALoopHasTheValuesOfAllSteps) {
  for (const auto& graph : {loop_graph(3), iterator_graph()}) {
    const auto exposed = BodyOutputs(*graph).expose(tensor_in(*graph, "state"));
    ASSERT_TRUE(exposed);
    EXPECT_EQ(exposed->iteration_axes, 1u);
    const bool is_loop = graph->get_parameters()[0]->get_friendly_name() == "h";
    const Tensor input = is_loop ? random_tensor({1, 16}, 2) : random_tensor({1, 5, 8}, 2);
    EXPECT_EQ(values_of(graph, exposed->tensor, input).size(), is_loop ? 3 * 16u : 5 * 16u);
  }
}

TEST(BodyOutputs, TensorsOfTheMainGraphStay) {
  const auto graph = if_graph();
  const auto exposed = BodyOutputs(*graph).expose(tensor_in(*graph, "x"));
  ASSERT_TRUE(exposed);
  EXPECT_EQ(exposed->tensor, tensor_in(*graph, "x"));
}

TEST(BodyOutputs, NothingLeavesAnIfInsideALoop) {
  const auto branches = [](const ov::Output<ov::Node>& h) { return if_above(h, 0, cell, cell); };
  const auto graph = loop_graph(2, branches);
  const std::size_t before = graph->get_ordered_ops().size();
  EXPECT_FALSE(BodyOutputs(*graph).expose(tensor_in(*graph, "state")));
  EXPECT_EQ(graph->get_ordered_ops().size(), before);
}

TEST(OnnxFile, ReadsNamesInsideBodies) {
  using namespace encode::onnx;  // NOLINT(google-build-using-namespace)
  using encode::block;
  const std::string inner = node("Conv", "Conv_3", {"x", "w"}, "c");
  const std::string branch = node("If", "If_1", {"b"}, "i", block(5, block(6, inner))) + inner;
  const std::string bytes = model(node("If", "If_0", {"b"}, "y", block(5, block(6, branch))));
  EXPECT_THAT(read_body_names({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}),
              UnorderedElementsAre("If_1", "i", "Conv_3", "c"));
}

}  // namespace
}  // namespace lpot
