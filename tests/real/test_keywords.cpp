// Keyword spotting graphs that begin with ops nothing here converts: cut behind them, quantized, saved, run.
#include <algorithm>
#include <cstdlib>

#include "lpot/model/load.h"
#include "lpot/runtime/executable.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

struct Keywords {
  std::string name;
  std::string shape;  // of what Mfcc makes, without the batch
  std::size_t kernels;
};

void PrintTo(const Keywords& network, std::ostream* out) { *out << network.name; }

class KeywordSpotting : public CliTest, public ::testing::WithParamInterface<Keywords> {
 protected:
  std::string model() const {
    const char* folder = std::getenv("LPOT_TEST_DATA");
    if (!folder || !*folder) throw std::runtime_error("set LPOT_TEST_DATA to the folder with the data and models");
    return (std::filesystem::absolute(folder) / "kws-frozen-pb" / (GetParam().name + ".pb"))
        .lexically_normal()
        .string();
  }
};

TEST_P(KeywordSpotting, RunsInInt8CutBehindMfcc) {
  const auto& [name, shape, kernels] = GetParam();
  const std::string loader =
      "dataloader: {batch_size: 4, dataset: {dummy: {shape: [16, " + shape + "], low: -10, high: 10}}}";
  write("conf.yaml",
        "model: {name: kws, framework: tensorflow, inputs: Mfcc, outputs: labels_softmax, input_shapes: {Mfcc: [-1, " +
            shape + "]}}\nquantization:\n  recipes: {forms: plain}\n  calibration:\n    sampling_size: 16\n    " +
            loader + "\nevaluation:\n  accuracy:\n    metric: {Agreement: {}}\n    " + loader + "\n");
  const auto quantized = lpot({"quantize", "conf.yaml", "--model", model(), "--output", "int8"});
  ASSERT_EQ(quantized.code, 0) << quantized.err;
  const Model saved = load_model(folder_ / "int8/model.xml");
  EXPECT_EQ(model_inputs(saved).at(0).name, "Mfcc:0");
  std::size_t int8 = 0;
  for (const ExecutedOp& op : Executable(saved).executed_ops()) int8 += op.is_int8() ? 1 : 0;
  EXPECT_GE(int8, kernels);
  const auto evaluated = lpot({"evaluate", "conf.yaml", "--model", "int8/model.xml", "--reference", model()});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
}

TEST_P(KeywordSpotting, HasItsBatchNormFoldedIntoNamedKernels) {
  std::vector<std::int64_t> shape{-1, GetParam().name == "DNN_S" ? 25 : 49, 10};
  const Model cut = load_model(model(), {.inputs = {"Mfcc"}, .input_shapes = {{"Mfcc", shape}}});
  for (const OpInfo& op : list_ops(cut)) {
    EXPECT_TRUE(op.type != "Multiply" && op.type != "BatchNormInference") << op.name;
    const bool made_up = op.name.find('@') != std::string::npos;
    EXPECT_FALSE(made_up && op.type.find("Convolution") != std::string::npos) << op.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, KeywordSpotting,
                         ::testing::Values(Keywords{"DS_CNN_S", "49, 10", 10}, Keywords{"DS_CNN_M", "49, 10", 10},
                                           Keywords{"CNN_S", "49, 10", 5}, Keywords{"DNN_S", "25, 10", 4}),
                         [](const auto& network) { return network.param.name; });

}  // namespace
}  // namespace lpot
