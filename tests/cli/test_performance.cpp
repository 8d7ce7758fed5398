// evaluation.performance and evaluation.accuracy.command, as a user has them in a config.
#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const std::string kLoader = R"(
      batch_size: 2
      dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}
      transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}
)";
const std::string kPerformance =
    "model: {name: net}\nevaluation:\n  performance:\n    warmup: 1\n    iteration: 25\n"
    "    dataloader:" +
    kLoader;
const std::string kCommand =
    "model: {name: net}\nquantization:\n  calibration:\n    sampling_size: 8\n    dataloader:" + kLoader +
    "evaluation:\n  accuracy:\n    command: sh evaluate.sh {model}\n";

class Performance : public CliTest {};

TEST_F(Performance, ComesFromTheConfig) {
  write("conf.yaml", kPerformance);
  const Json result = lpot({"bench", kModel, kModel, "--config", "conf.yaml", "--json"}).json();
  EXPECT_EQ(result["batch_size"], 2);
  ASSERT_THAT(result["models"], SizeIs(2));
  EXPECT_EQ(result["models"][0]["runs"], 25);
  EXPECT_EQ(result["models"][1]["runs"], 25);
}

TEST_F(Performance, OptionsWinOverTheConfig) {
  write("conf.yaml", kPerformance);
  const Outcome run =
      lpot({"bench", kModel, "-c", "conf.yaml", "-b", "4", "--json", "--set", "evaluation.performance.iteration=12"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["batch_size"], 4);
  EXPECT_EQ(run.json()["models"][0]["runs"], 12);
}

TEST_F(Performance, KeysCanBeSetWithoutAFile) {
  const Outcome run = lpot({"bench", kModel, "--json", "--set", "evaluation.performance.iteration=12"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["models"][0]["runs"], 12);
  expect_one_message(lpot({"bench", kModel, "-q", "--set", "evaluation.performance.warmupp=50"}),
                     {"evaluation.performance.warmupp", "unknown key"});
}

TEST_F(Performance, IsReportedPerInstanceAndInTotal) {
  write("conf.yaml", kPerformance + "    configs: {cores_per_instance: 1, num_of_instance: 1}\n");
  const Outcome run = lpot({"bench", kModel, kModel, "--config", "conf.yaml", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = run.json();
  EXPECT_EQ(result["instances"], 1);
  EXPECT_EQ(result["cores_per_instance"], 1);
  for (const Json& model : result["models"]) {
    ASSERT_THAT(model["instances"], SizeIs(1));
    EXPECT_EQ(model["instances"][0]["runs"], 25);
    EXPECT_THAT(model["instances"][0]["cores"], SizeIs(1));
    EXPECT_EQ(model["throughput"], model["instances"][0]["throughput"]);
  }
}

TEST_F(Performance, OfTwoInstancesAddsUp) {
  const Outcome run =
      lpot({"bench", kModel, "--instances", "2", "--cores-per-instance", "1", "--seconds", "0.2", "--json"});
  if (std::thread::hardware_concurrency() < 2) {
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.err, HasSubstr("2 instances of 1 core need 2 cores, there are 1"));
    return;
  }
  ASSERT_EQ(run.code, 0) << run.err;
  const Json model = run.json()["models"][0];
  ASSERT_THAT(model["instances"], SizeIs(2));
  EXPECT_NE(model["instances"][0]["cores"], model["instances"][1]["cores"]);
  const double first = model["instances"][0]["throughput"], second = model["instances"][1]["throughput"];
  EXPECT_NEAR(model["throughput"].get<double>(), first + second, 1e-6 * (first + second));
}

TEST_F(Performance, OfMoreInstancesThanCoresIsRefused) {
  expect_one_message(lpot({"bench", kModel, "--instances", "9999", "-q"}),
                     {"9999 instances of 1 core need 9999 cores", "num_of_instance"});
}

TEST_F(Performance, OfAMissingModelIsOneMessage) {
  expect_one_message(lpot({"bench", kModel, "nowhere.xml", "--instances", "1", "-q"}), {"nowhere.xml"});
}

class Command : public CliTest {};

TEST_F(Command, DecidesTheTuning) {
  write("conf.yaml", kCommand);
  // The third int8 model is the first that is good enough.
  write("evaluate.sh",
        "echo run >> log; case $1 in *.onnx) echo 0.9;; *) [ $(wc -l < log) -ge 4 ] && echo 0.9 || echo 0.5;; esac\n");
  const Outcome run = lpot({"tune", "conf.yaml", "-m", kModel, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = run.json();
  EXPECT_EQ(result["goal_met"], true);
  EXPECT_EQ(result["trials"], 3);
  EXPECT_EQ(result["baseline"]["accuracy"], 0.9);
  EXPECT_TRUE(exists("lpot_workspace/net-onnx/best/model.xml"));
}

TEST_F(Command, ThatFailsOnFp32EndsTheTuning) {
  write("conf.yaml", kCommand);
  write("evaluate.sh", "exit 4\n");
  expect_one_message(lpot({"tune", "conf.yaml", "-m", kModel, "-q"}), {"exit code 4", "evaluate.sh"});
}

TEST_F(Command, ThatFailsOnOneInt8ModelFailsThatTrial) {
  write("conf.yaml", kCommand);
  write("evaluate.sh", "echo run >> log; [ $(wc -l < log) -eq 2 ] && exit 4; echo 0.9\n");
  const Outcome run = lpot({"tune", "conf.yaml", "-m", kModel, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["trials"], 2);
}

TEST_F(Command, EvaluatesTheFileThatWasGiven) {
  write("conf.yaml", kCommand);
  write("evaluate.sh", "case $1 in *fashion_cnn.onnx) echo top 0.75;; esac\n");
  EXPECT_EQ(lpot({"evaluate", "conf.yaml", "-m", kModel, "--json"}).json()["accuracy"], 0.75);
}

}  // namespace
}  // namespace lpot
