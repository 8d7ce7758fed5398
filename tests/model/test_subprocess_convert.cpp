#include "lpot/model/subprocess_convert.h"

#include <gmock/gmock.h>

#include <openvino/op/constant.hpp>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "tests/model/encode.h"
#include "tests/support/tensorflow.h"

namespace lpot {
namespace {

using encode::describe;
using encode::Folder;
using encode::thrown_message;

std::string two_layers() {
  tf::GraphDef graph;
  graph.placeholder("x", {-1, 4});
  graph.constant("w", {4, 3}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  graph.constant("b", {3}, std::vector<float>{1, 2, 3});
  graph.node("hidden", "MatMul", {"x", "w"});
  graph.node("add", "BiasAdd", {"hidden", "b"});
  graph.node("scores", "Relu", {"add"});
  return graph.bytes();
}

std::vector<std::string> op_names(const Model& model) {
  std::vector<std::string> names;
  for (const OpInfo& op : list_ops(model)) names.push_back(op.name + " " + op.type);
  return names;
}

// Each test runs in its own process, because threads of other tests would prevent the conversion in a child process.
class SubprocessConvert : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SubprocessConvert, ReturnsTheSameModelAsInThisProcess) {
  const auto check = [] {
    Folder folder;
    const auto path = folder.write("net.pb", two_layers());
    const Model converted = load_model(path, {.subprocess_convert_bytes = 0});
    const Model here = load_model(path);
    const bool same = op_names(converted) == op_names(here) && converted.fingerprint == here.fingerprint &&
                      describe(model_inputs(converted)) == describe(model_inputs(here)) &&
                      describe(model_outputs(converted)) == describe(model_outputs(here)) &&
                      converted.format == ModelFormat::TensorFlow && converted.source == path;
    std::exit(same ? 0 : 1);
  };
  EXPECT_EXIT(check(), ::testing::ExitedWithCode(0), "");
}

TEST_F(SubprocessConvert, RunsInAChildProcess) {
  const auto check = [] {
    Folder folder;
    const auto path = folder.write("net.pb", two_layers());
    const Model model = load_model(path);
    int calls = 0;  // a call in a child process does not change it
    const auto graph = subprocess_convert([&] {
      ++calls;
      return model.graph;
    });
    std::exit(graph && graph != model.graph && calls == 0 ? 0 : 1);
  };
  EXPECT_EXIT(check(), ::testing::ExitedWithCode(0), "");
}

TEST_F(SubprocessConvert, ReadsReleasedWeightsAgain) {
  const auto check = [] {
    Folder folder;
    const Model model = load_model(folder.write("net.pb", two_layers()), {.subprocess_convert_bytes = 0});
    const auto weights = [&] {
      std::vector<float> all;
      for (const auto& node : model.graph->get_ordered_ops())
        if (const auto constant = ov::as_type_ptr<ov::op::v0::Constant>(node))
          for (const float value : constant->cast_vector<float>()) all.push_back(value);
      return all;
    };
    const auto before = weights();
    release_mapped_weights();
    std::exit(before.size() >= 15 && weights() == before ? 0 : 1);
  };
  EXPECT_EXIT(check(), ::testing::ExitedWithCode(0), "");
}

TEST_F(SubprocessConvert, ReturnsNullIfTheConversionFails) {
  const auto check = [] {
    std::exit(subprocess_convert([]() -> std::shared_ptr<ov::Model> { throw ModelError("test", "no"); }) ? 1 : 0);
  };
  EXPECT_EXIT(check(), ::testing::ExitedWithCode(0), "");
}

TEST_F(SubprocessConvert, ReportsTheSameErrorAsInThisProcess) {
  Folder folder;
  tf::GraphDef graph;
  graph.placeholder("x", {-1, 4});
  graph.node("odd", "DecodeWav", {"x"});
  const auto path = folder.write("odd.pb", graph.bytes());
  EXPECT_EQ(thrown_message([&] { load_model(path, {.subprocess_convert_bytes = 0}); }),
            thrown_message([&] { load_model(path); }));
}

}  // namespace
}  // namespace lpot
