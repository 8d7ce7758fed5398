// MiniLM on MRPC, from the TSV files to an int8 model.
#include <cstdlib>

#include "tests/cli/support.h"

namespace lpot {
namespace {

class Mrpc : public CliTest {
 protected:
  void SetUp() override {
    const std::string data =
        "GLUE: {task: mrpc, data_dir: '" + path("glue-mrpc") + "', model_name_or_path: '" + path("bert-vocab") + "', ";
    write("mrpc.yaml",
          "model: {name: minilm, framework: onnx}\nquantization:\n  calibration:\n    sampling_size: 300\n"
          "    dataloader: {batch_size: 10, dataset: {" +
              data + "evaluate: false}}}\nevaluation:\n  accuracy:\n    metric: {GLUE: mrpc, F1: {}}\n" +
              "    dataloader: {batch_size: 8, dataset: {" + data + "evaluate: true}}}\n");
    model_ = path("minilm-mrpc-onnx/minilm_mrpc.onnx");
  }

  static std::string path(const std::string& name) {
    const char* folder = std::getenv("LPOT_TEST_DATA");
    if (!folder || !*folder) throw std::runtime_error("set LPOT_TEST_DATA to the folder with the data and models");
    const auto found = std::filesystem::absolute(std::filesystem::path(folder) / name).lexically_normal();
    if (!std::filesystem::exists(found)) throw std::runtime_error(found.string() + " is missing");
    return found.string();
  }

  std::string model_;
};

TEST_F(Mrpc, Fp32AccuracyAndF1AreReproducedAtAnyBatchSizeAndLength) {
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"evaluation.accuracy.dataloader.batch_size=8"},
        std::vector<std::string>{"evaluation.accuracy.dataloader.batch_size=50"},
        std::vector<std::string>{"evaluation.accuracy.dataloader.dataset.GLUE.dynamic_length=false"}}) {
    const Outcome run = lpot({"evaluate", "mrpc.yaml", "-m", model_, "--json", "--set", overrides[0]});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.json()["samples"], 408);
    EXPECT_NEAR(run.json()["metrics"]["GLUE mrpc"], 0.8113, 5e-5) << overrides[0];
    EXPECT_NEAR(run.json()["metrics"]["F1"], 0.8684, 5e-5) << overrides[0];
  }
}

TEST_F(Mrpc, Int8IsWithinOnePercentAndFaster) {
  const Outcome run = lpot({"tune", "mrpc.yaml", "-m", model_, "--output", "int8", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["goal_met"], true);
  EXPECT_GE(run.json()["best"]["accuracy"].get<double>(), 0.8113 * 0.99);
  EXPECT_GT(run.json()["best"]["speedup"].get<double>(), 1.0);
}

}  // namespace
}  // namespace lpot
