#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class CliTune : public CliTest {
 protected:
  std::vector<std::string> keys(const Json& json) const {
    std::vector<std::string> names;
    for (const auto& [name, value] : json.items()) names.push_back(name);
    return names;
  }
};

TEST_F(CliTune, AGoalThatIsMetExitsWithZeroAndWritesTheModelBesideItsDeployFile) {
  write("conf.yaml", kTop1 + "tuning: {accuracy_criterion: {absolute: 1}}\n");
  const Outcome run = lpot({"tune", "conf.yaml", "--model", kModel, "--output", "out", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;

  const Json result = run.json();
  EXPECT_THAT(keys(result), testing::IsSupersetOf(
                                {"goal_met", "baseline", "best", "trials", "seconds", "evaluated_samples", "model"}));
  EXPECT_THAT(keys(result["baseline"]), testing::IsSupersetOf({"accuracy", "latency_ms", "size_bytes"}));
  EXPECT_THAT(keys(result["best"]),
              testing::IsSupersetOf({"accuracy", "latency_ms", "size_bytes", "trial", "fallback"}));
  EXPECT_EQ(result["goal_met"], true);
  EXPECT_EQ(result["trials"], 1);
  EXPECT_EQ(result["best"]["trial"], 1);
  EXPECT_THAT(result["best"]["fallback"], IsEmpty());
  EXPECT_EQ(result["evaluated_samples"], 64);
  EXPECT_EQ(result["model"], "out/model.xml");
  EXPECT_EQ(result["onnx"]["path"], "out/model.onnx");
  EXPECT_EQ(result["onnx"]["size_bytes"].get<std::size_t>(), std::filesystem::file_size(folder_ / "out/model.onnx"));
  EXPECT_EQ(result["baseline"]["size_bytes"], std::filesystem::file_size(kModel));
  EXPECT_EQ(result["best"]["size_bytes"].get<std::size_t>(), std::filesystem::file_size(folder_ / "out/model.xml") +
                                                                 std::filesystem::file_size(folder_ / "out/model.bin"));
  EXPECT_GT(result["baseline"]["accuracy"].get<double>(), 0.8);
  EXPECT_GT(result["baseline"]["latency_ms"].get<double>(), 0);
  EXPECT_GT(result["best"]["latency_ms"].get<double>(), 0);
  EXPECT_GT(result["seconds"].get<double>(), 0);

  for (const char* name :
       {"out/model.xml", "out/model.bin", "out/deploy.yaml", "out/result.json", "lpot_workspace/net-onnx/lpot.db"})
    EXPECT_TRUE(exists(name)) << name;
  EXPECT_EQ(Json::parse(read_bytes(folder_ / "out/result.json")), result);
  EXPECT_THAT(read_bytes(folder_ / "out/deploy.yaml"),
              HasSubstr("command: lpot tune conf.yaml --model " + kModel + " --output out --json"));
}

TEST_F(CliTune, DynamicQuantizationTunesWithoutCalibration) {
  write("conf.yaml", kTop1 + "tuning: {accuracy_criterion: {absolute: 1}}\n");
  const std::vector<std::string> words{
      "tune",     "conf.yaml", "-m",    kModel,
      "--output", "out",       "--set", "quantization.approach=post_training_dynamic_quant"};
  const Outcome text = lpot(words);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("only weights are int8"), HasSubstr("the model is smaller")));
  EXPECT_THAT(text.err, Not(HasSubstr("calibrat")));
  EXPECT_THAT(Json::parse(read_bytes(folder_ / "out/result.json"))["best"]["activations"], HasSubstr("fp32"));
  EXPECT_TRUE(exists("out/model.onnx"));

  std::vector<std::string> dry = words;
  dry.push_back("--dry-run");
  EXPECT_THAT(lpot(dry).out, HasSubstr("calibration       none"));
}

TEST_F(CliTune, AGoalThatIsNotMetExitsWithThreeAndSavesTheBestModel) {
  write("conf.yaml", kUnreachable + "  exit_policy: {max_trials: 2}\n");
  const Outcome run = lpot({"tune", "conf.yaml", "-m", kModel});
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("NOT met"), HasSubstr("max_trials is reached"), HasSubstr("compile_model"),
                             HasSubstr("lpot_workspace/net-onnx/best/model.xml")));
  EXPECT_THAT(run.err_lines(),
              AllOf(Contains(AllOf(StartsWith("lpot: warning: "), HasSubstr("calibrating with the evaluation data"))),
                    Contains(StartsWith("    1  ")), Contains(StartsWith("    2  "))));
  EXPECT_THAT(run.err, Not(HasSubstr("\033["))) << "escape codes, but this is no terminal";
  EXPECT_EQ(lpot({"inspect", "lpot_workspace/net-onnx/best/model.xml"}).code, 0);
  EXPECT_THAT(read_bytes(folder_ / "lpot_workspace/net-onnx/best/deploy.yaml"), HasSubstr("met: false"));
}

TEST_F(CliTune, LaterFilesWinOverEarlierOnesAndSetWinsOverFiles) {
  write("a.yaml", kTop1 + "tuning: {random_seed: 1, exit_policy: {max_trials: 11, timeout: 7}}\n");
  write("b.yaml", "tuning: {random_seed: 2, exit_policy: {max_trials: 12}}\n");
  const Outcome run = lpot({"tune", "a.yaml", "b.yaml", "-m", kModel, "--dry-run", "--json", "--set",
                            "tuning.exit_policy.max_trials=13", "--set", "evaluation.accuracy.iteration=2"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(
      run.json()["settings"],
      testing::IsSupersetOf({Json("tuning.random_seed = 2"), Json("tuning.exit_policy.max_trials = 13"),
                             Json("tuning.exit_policy.timeout = 7"), Json("evaluation.accuracy.iteration = 2")}));
  EXPECT_EQ(run.json()["evaluation_samples"], 16);
}

TEST_F(CliTune, DryRunSaysWhatWouldBeDoneAndWritesNothing) {
  write("conf.yaml", kTop1 + "tuning: {workspace: {path: elsewhere}}\n");
  const Outcome run = lpot({"tune", "conf.yaml", "-m", kModel, "--dry-run", "--output", "out"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("quantizable ops   9"), HasSubstr("evaluation        32 samples"),
                    HasSubstr("calibration       8 of 10000 samples"), HasSubstr("workspace         elsewhere")));
  EXPECT_THAT(folder_.names(), testing::UnorderedElementsAre(".err", ".out", "conf.yaml"));
}

TEST_F(CliTune, DryRunFindsDataThatDoNotFit) {
  write("conf.yaml", kTop1);
  const Outcome run = lpot({"tune", "conf.yaml", "-m", kModel, "--dry-run", "-q", "--set",
                            "evaluation.accuracy.dataloader.dataset={dummy: {shape: [4, 3, 32, 32]}}"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
}

TEST_F(CliTune, CtrlCEndsTheRunningTrialAndKeepsTheBest) {
  write("conf.yaml", kUnreachable + "  exit_policy: {max_trials: 100}\n");
  const auto running = start({"tune", "conf.yaml", "-m", kModel, "--json"});
  ASSERT_TRUE(running->wait_until([&] { return running->err().find("\n    1  ") != std::string::npos; }));
  running->kill(SIGINT);
  const Outcome run = running->wait();
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_EQ(run.json()["stopped_because"], "it was interrupted");
  EXPECT_TRUE(exists(run.json()["model"]));
  const auto trials = run.json()["trials"].get<int>();
  EXPECT_LT(trials, 100);
  const Outcome more = lpot({"tune", "conf.yaml", "-m", kModel, "--json", "--resume", "--set",
                             "tuning.exit_policy.max_trials=" + std::to_string(trials + 1)});
  EXPECT_EQ(more.json()["trials"], trials + 1);
}

TEST_F(CliTune, CtrlCBeforeTheFirstResultPrintsOneLine) {
  write("conf.yaml", kTop1);
  const auto running = start({"tune", "conf.yaml", "-m", kModel, "-q", "--set", "evaluation.accuracy.iteration=-1"});
  ASSERT_TRUE(running->wait_until([&] { return exists("lpot_workspace/net-onnx/lpot.db"); }));
  running->kill(SIGTERM);
  const Outcome run = running->wait();
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "lpot: stopped before the first result\n");
}

TEST_F(CliTune, ResumeWithAnotherCriterionIsRefusedAndNamesIt) {
  write("conf.yaml", kUnreachable + "  exit_policy: {max_trials: 1}\n");
  ASSERT_EQ(lpot({"tune", "conf.yaml", "-m", kModel}).code, 3);
  const std::string before = lpot({"show", "lpot_workspace/net-onnx", "--json"}).out;
  expect_one_message(
      lpot({"tune", "conf.yaml", "-m", kModel, "-q", "--resume", "--set", "tuning.accuracy_criterion.absolute=0.5"}),
      {R"(tuning.accuracy_criterion.absolute was "0" and is "0.5")", "--resume"});
  EXPECT_EQ(lpot({"show", "lpot_workspace/net-onnx", "--json"}).out, before);
}

TEST_F(CliTune, ASecondRunInTheSameWorkspaceAtTheSameTimeIsRefused) {
  write("conf.yaml", kUnreachable);
  const auto first = start({"tune", "conf.yaml", "-m", kModel, "-q"});
  ASSERT_TRUE(first->wait_until([&] { return exists("lpot_workspace/net-onnx/lpot.db-wal"); }));
  std::filesystem::create_directory(folder_ / "other");
  const Outcome second = Running({LPOT_PROGRAM, "tune", "../conf.yaml", "-m", kModel, "-q", "--set",
                                  "tuning.workspace.path=../lpot_workspace/net-onnx"},
                                 folder_ / "other", 0)
                             .wait();
  expect_one_message(second, {"another lpot is tuning in this workspace"});
}

}  // namespace
}  // namespace lpot
