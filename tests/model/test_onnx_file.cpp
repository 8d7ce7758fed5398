#include "lpot/model/onnx_file.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/model/source_graph.h"
#include "tests/model/encode.h"

namespace lpot {
namespace {

using encode::block;
using encode::number;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string small_onnx_file() {
  using namespace encode::onnx;  // NOLINT(google-build-using-namespace)
  return model(input("x", {1, 2}) + node("Relu", "r", {"x", "", "w"}, "y", block(5, block(1, "to"))) +
               weights("w", {2}, {1, 2}) + output("y", {1, 2}));
}

TEST(OnnxFile, ReadsNodesAndOutputsWithoutWeights) {
  const std::string bytes = small_onnx_file();
  const onnx::GraphProto graph = read_onnx_graph(bytes_of(bytes));
  ASSERT_EQ(graph.node_size(), 1);
  EXPECT_EQ(graph.node(0).name(), "r");
  EXPECT_EQ(graph.node(0).op_type(), "Relu");
  EXPECT_THAT(graph.node(0).input(), ElementsAre("x", "", "w"));
  EXPECT_THAT(graph.node(0).output(), ElementsAre("y"));
  EXPECT_EQ(graph.node(0).attribute_size(), 0);
  EXPECT_EQ(graph.initializer_size(), 0);
  ASSERT_EQ(graph.output_size(), 1);
  EXPECT_EQ(graph.output(0).name(), "y");
}

TEST(OnnxFile, SkipsAttributesThatCannotBeParsed) {
  const std::string bytes = encode::onnx::model(encode::onnx::node("Relu", "r", {"x"}, "y", block(5, "\xff\xff")));
  EXPECT_EQ(read_onnx_graph(bytes_of(bytes)).node(0).name(), "r");
}

TEST(OnnxFile, ReadsTheOperatorSets) {
  const std::string bytes = small_onnx_file();
  const auto sets = read_operator_sets(bytes_of(bytes));
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].version(), 13);
  EXPECT_EQ(sets[1].domain(), "example.org");
}

TEST(OnnxFile, RejectsADamagedFile) {
  const std::string bytes = small_onnx_file();
  const std::size_t whole = read_operator_sets(bytes_of(bytes)).size();
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    const std::string cut = bytes.substr(0, length);
    try {
      EXPECT_LT(read_operator_sets(bytes_of(cut)).size(), whole) << length;  // cut between two fields
    } catch (const DataError&) {
    }
  }
  for (const std::string& bad : {block(7, block(1, "\x0a\x09x")), block(7, block(12, "\xff")), block(7, "\x0a")})
    EXPECT_THROW(read_onnx_graph(bytes_of(bad)), DataError);
  EXPECT_THROW(read_operator_sets(bytes_of(block(8, "\xff"))), DataError);
  EXPECT_THAT(read_onnx_graph({}).node(), IsEmpty());
}

TEST(SourceGraph, OfOnnxSkipsInputsAndOutputsWithoutName) {
  const encode::Folder folder;
  const std::string unnamed = block(7, block(12, block(2, "")));  // a second graph field is merged into the first
  const SourceGraph graph = read_source_graph(folder.write("net.onnx", small_onnx_file() + unnamed), ModelFormat::Onnx);
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.nodes[0].name, "r");
  EXPECT_EQ(graph.nodes[0].op, "Relu");
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x", "w"));
  EXPECT_THAT(graph.nodes[0].outputs, ElementsAre("y"));
  EXPECT_THAT(graph.outputs, ElementsAre("y"));
  EXPECT_EQ(graph.producer("y"), &graph.nodes[0]);
}

}  // namespace
}  // namespace lpot
