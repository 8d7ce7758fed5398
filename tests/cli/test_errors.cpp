// What a newcomer gets wrong, and what a machine gets wrong: one clear message each, exit 1, earlier results whole.
#include <cmath>
#include <set>

#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

struct Mistake {
  std::string line;  // line 12, the first below `tuning:`
  std::string message;
};

class ConfigMistakes : public CliTest {};

TEST_F(ConfigMistakes, EachGivesItsOwnMessageWithFileLineAndKey) {
  const std::vector<Mistake> mistakes{
      {"  accuracy_criterion: {relative: abc}",
       "conf.yaml:12: tuning.accuracy_criterion.relative: expected a number in 0..1, got 'abc'"},
      {"  accuracy_criterion: {relative: 3}",
       "conf.yaml:12: tuning.accuracy_criterion.relative: expected a number in 0..1, got '3'"},
      {"  acuracy_criterion: {relative: 0.01}",
       "conf.yaml:12: tuning.acuracy_criterion: unknown key (did you mean 'accuracy_criterion'?)"},
      {"  exit_policy: {max_trials: 0}", "tuning.exit_policy.max_trials: "},
      {"  exit_policy: {timeout: soon}", "tuning.exit_policy.timeout: "},
      {"  strategy: {name: baisc}",
       "conf.yaml:12: tuning.strategy.name: unknown strategy 'baisc'; expected one of basic"},
      {"  objective: fast", "tuning.objective: "},
      {"  random_seed: 1.5", "tuning.random_seed: "},
      {"  accuracy_criterion: {relative: 0.01, absolute: 0.1}", "tuning.accuracy_criterion"},
      {"  exit_policy: 5", "tuning.exit_policy: "},
      {"  accuracy_criterion: {relative: 0.01", "conf.yaml:1"},
      {"\texit_policy: {timeout: 0}", "conf.yaml:12: "},
  };
  std::set<std::string> messages;
  for (const Mistake& mistake : mistakes) {
    write("conf.yaml", kTop1 + "tuning:\n" + mistake.line + "\n");
    const Outcome run = lpot({"tune", "conf.yaml", "-m", kModel, "-q"});
    expect_one_message(run, {mistake.message});
    EXPECT_THAT(run.err, MatchesRegex("lpot: \\[load_config\\] conf.yaml:1[0-9]: [^\n]+\n"));
    EXPECT_TRUE(messages.insert(run.err).second) << "said before: " << run.err;
    EXPECT_FALSE(exists("lpot_workspace"));
  }
}

TEST_F(ConfigMistakes, NamesOfComponentsAndTheirParametersAreChecked) {
  const std::vector<std::pair<std::string, std::string>> overrides{
      {"evaluation.accuracy.metric={topq: 1}", "topk"},
      {"evaluation.accuracy.dataloader.dataset={FashionMnist: {root: x}}", "FashionMNIST"},
      {"evaluation.accuracy.dataloader.dataset={FashionMNIST: {rot: x}}", "root"},
      {"evaluation.accuracy.dataloader.transform={ToTenser: {}}", "ToTensor"},
      {"evaluation.accuracy.dataloader.batch_size=0", "evaluation.accuracy.dataloader.batch_size"},
      {"tuning.exit_policy.max_trails=5", "max_trials"},
      {"nonsense", "--set nonsense: expected key=value"},
  };
  write("conf.yaml", kTop1);
  for (const auto& [override, expected] : overrides)
    expect_one_message(lpot({"tune", "conf.yaml", "-m", kModel, "-q", "--set", override}), {expected});
}

TEST_F(ConfigMistakes, AMissingFileAndAFolderAreNamed) {
  expect_one_message(lpot({"tune", "nowhere.yaml", "-m", kModel, "-q"}), {"nowhere.yaml"});
  expect_one_message(lpot({"tune", ".", "-m", kModel, "-q"}), {"."});
}

TEST_F(ConfigMistakes, AnOpThatTheModelDoesNotHaveGetsTheNearestName) {
  write("conf.yaml", kTop1);
  expect_one_message(lpot({"tune", "conf.yaml", "-m", kModel, "-q", "--set",
                           "quantization.op_wise={/fc/Gem: {weight: {dtype: fp32}}}"}),
                     {"/fc/Gem'", "did you mean '/fc/Gemm'?", "lpot inspect"});
}

TEST_F(ConfigMistakes, WithoutMetricOrDataTheKeyToSetIsNamed) {
  write("no_metric.yaml", kData);
  expect_one_message(lpot({"tune", "no_metric.yaml", "-m", kModel, "-q"}), {"evaluation.accuracy.metric"});
  write("no_data.yaml", "model: {name: net}\nevaluation: {accuracy: {metric: {topk: 1}}}\n");
  expect_one_message(lpot({"tune", "no_data.yaml", "-m", kModel, "-q"}), {"evaluation.accuracy.dataloader"});
  expect_one_message(lpot({"evaluate", "no_metric.yaml", "-m", kModel, "-q"}), {"evaluation.accuracy.metric"});
  expect_one_message(lpot({"evaluate", "no_data.yaml", "-m", kModel, "-q"}), {"evaluation.accuracy.dataloader"});
}

class BadModel : public CliTest {
 protected:
  void SetUp() override { write("conf.yaml", kTop1); }
  Outcome tune(const std::string& model) const { return lpot({"tune", "conf.yaml", "-m", model, "-q"}); }
};

TEST_F(BadModel, NoneAtAll) { expect_one_message(lpot({"tune", "conf.yaml", "-q"}), {"--model FILE"}); }

TEST_F(BadModel, AFileThatIsNotThere) {
  expect_one_message(tune("nowhere.onnx"), {"nowhere.onnx", "no such file"});
  expect_one_message(lpot({"inspect", "nowhere.onnx", "-q"}), {"nowhere.onnx", "no such file"});
  expect_one_message(lpot({"bench", kModel, "nowhere.xml", "-q"}), {"nowhere.xml", "no such file"});
}

TEST_F(BadModel, AFileThatWasCutAnywhere) {
  const std::string whole = read_bytes(kModel);
  for (const std::size_t kept :
       {std::size_t{0}, std::size_t{1}, whole.size() / 100, whole.size() / 2, whole.size() - 1}) {
    write("cut.onnx", whole.substr(0, kept));
    const Outcome run = tune("cut.onnx");
    SCOPED_TRACE(kept);
    expect_one_message(run, {"cut.onnx"});
  }
}

TEST_F(BadModel, AnIrWithoutItsWeightsOrCut) {
  ASSERT_EQ(lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "ir", "-q"}).code, 0);
  const std::string xml = read_bytes(folder_ / "ir/model.xml"), bin = read_bytes(folder_ / "ir/model.bin");
  write("ir/model.bin", bin.substr(0, bin.size() / 2));
  expect_one_message(tune("ir/model.xml"), {"ir/model.xml"});
  std::filesystem::remove(folder_ / "ir/model.bin");
  expect_one_message(tune("ir/model.xml"), {"ir/model", ".bin"});
  write("ir/model.bin", bin);
  write("ir/model.xml", xml.substr(0, xml.size() / 2));
  expect_one_message(tune("ir/model.xml"), {"ir/model.xml"});
}

TEST_F(BadModel, AnEndingThatNothingReads) {
  write("model.txt", "hello");
  expect_one_message(tune("model.txt"), {"model.txt", ".onnx", ".pb", ".xml"});
}

TEST_F(BadModel, AFrameworkThatTheFileIsNotOf) {
  expect_one_message(lpot({"tune", "conf.yaml", "-m", kModel, "-q", "--set", "model.framework=tensorflow"}),
                     {"model.framework is tensorflow", "onnx"});
}

class BadData : public CliTest {
 protected:
  // One sample for kModel, all zeros, with these labels.
  void write_samples(const std::vector<std::int64_t>& labels) const {
    const std::string count = std::to_string(labels.size());
    write("x.npy", npy_bytes<float>("<f4", "(" + count + ", 1, 28, 28)", std::vector<float>(labels.size() * 28 * 28)));
    write("y.npy", npy_bytes<std::int64_t>("<i8", "(" + count + ",)", labels));
    write("conf.yaml", config("npy: {inputs: {image: x.npy}, labels: y.npy}"));
  }
  static std::string config(const std::string& dataset) {
    return "model: {name: net}\nevaluation:\n  accuracy:\n    metric: {topk: 1}\n    dataloader: {dataset: {" +
           dataset + "}}\n";
  }
  Outcome tune() const { return lpot({"tune", "conf.yaml", "-m", kModel, "-q"}); }
};

TEST_F(BadData, ImagesThatWereNotMadeTensorsNameTypesAndShapesOfBothSides) {
  write("conf.yaml", config("FashionMNIST: {root: /usr/share/datasets/fashion-mnist}"));
  expect_one_message(tune(), {"u8", "28,28", "f32", "[?,1,28,28]", "image"});
}

TEST_F(BadData, ImagesOfAnotherSizeNameBothShapes) {
  write("conf.yaml", config("dummy: {shape: [8, 3, 32, 32]}"));
  expect_one_message(tune(), {"3,32,32", "[?,1,28,28]"});
}

TEST_F(BadData, AnInputThatTheModelDoesNotHaveIsNamedWithThoseItHas) {
  write_samples({0});
  write("conf.yaml", config("npy: {inputs: {pixels: x.npy}, labels: y.npy}"));
  expect_one_message(tune(), {"pixels", "image"});
}

TEST_F(BadData, LabelsOutsideOfTheClassesAreNamed) {
  for (const std::int64_t label : {10, 255, -1}) {
    write_samples({3, label});
    expect_one_message(tune(), {std::to_string(label), "10"});
  }
}

TEST_F(BadData, ReportsMissingLabels) {
  write_samples({3, 4});
  write("conf.yaml", config("npy: {inputs: {image: x.npy}}"));
  expect_one_message(tune(), {"label"});
}

TEST_F(BadData, WarnsAboutNanInEvaluatedSamples) {
  write_samples({3, 4, 5});
  std::vector<float> values(3 * 28 * 28);
  values[28 * 28 + 5] = std::nanf("");
  write("x.npy", npy_bytes<float>("<f4", "(3, 1, 28, 28)", values));
  const Outcome run = lpot({"evaluate", "conf.yaml", "-m", kModel, "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["samples"], 3);
  EXPECT_THAT(run.err, testing::HasSubstr("1 of 3 evaluation samples contain NaN, first sample 1 in input 'image'"));
}

TEST_F(BadData, FilesThatAreNotThereOrCutAreNamed) {
  write("conf.yaml", config("FashionMNIST: {root: nowhere}"));
  expect_one_message(tune(), {"nowhere"});
  write_samples({1, 2, 3});
  const std::string whole = read_bytes(folder_ / "x.npy");
  write("x.npy", whole.substr(0, whole.size() - 100));
  expect_one_message(tune(), {"x.npy"});
}

TEST_F(BadData, AnEarlierStudyCanBeResumedAfterARunWithWrongData) {
  write("good.yaml", kUnreachable + "  exit_policy: {max_trials: 1}\n");
  ASSERT_EQ(lpot({"tune", "good.yaml", "-m", kModel}).code, 3);
  write_samples({3, 77});
  EXPECT_EQ(tune().code, 1);
  const Outcome resumed = lpot({"tune", "good.yaml", "-m", kModel, "--resume", "--json"});
  EXPECT_EQ(resumed.code, 3) << resumed.err;
  EXPECT_EQ(resumed.json()["trials"], 1);
}

class BadDisk : public CliTest {
 protected:
  static constexpr const char* kWorkspace = "lpot_workspace/net-onnx";

  void SetUp() override { write("conf.yaml", kUnreachable + "  exit_policy: {max_trials: 1}\n"); }
  Outcome tune(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"tune", "conf.yaml", "-m", kModel, "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return lpot(words);
  }
  std::string shown() const { return lpot({"show", kWorkspace, "--json"}).out; }
};

TEST_F(BadDisk, AnOutputOrWorkspaceThatCannotBeMadeIsNamed) {
  write("file", "in the way");
  expect_one_message(tune({"--output", "file/out"}), {"file/out"});
  expect_one_message(tune({"--output", "file"}), {"file"});
  expect_one_message(tune({"--set", "tuning.workspace.path=file/w"}), {"file/w"});
  expect_one_message(lpot({"quantize", "conf.yaml", "-m", kModel, "-q", "-o", "file/q"}), {"file/q"});
  expect_one_message(lpot({"init", kModel, "-q", "-o", "file/conf.yaml"}), {"file/conf.yaml"});
  EXPECT_EQ(read_bytes(folder_ / "file"), "in the way");
}

TEST_F(BadDisk, AnOutputThatWouldReplaceTheSourceModelIsRefusedBeforeAnythingIsWritten) {
  std::filesystem::copy_file(kModel, folder_ / "model.onnx");
  const std::string before = read_bytes(folder_ / "model.onnx");
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"tune"}, {"tune", "--dry-run"}, {"quantize"}}) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {"conf.yaml", "-m", "model.onnx", "-q", "-o", "."});
    expect_one_message(lpot(words), {"[output] ./model.onnx: ", "source model", "choose another folder"});
    EXPECT_EQ(read_bytes(folder_ / "model.onnx"), before);
    EXPECT_FALSE(exists("model.xml"));
    EXPECT_FALSE(exists("lpot_workspace"));
  }
}

TEST_F(BadDisk, PathsThatAreNotUtf8AreAllowed) {
  const std::string output = "out\xff";
  const Outcome tuned = tune({"-o", output, "--json"});
  EXPECT_EQ(tuned.code, 3) << tuned.err;
  EXPECT_EQ(tuned.json()["model"], "out\ufffd/model.xml");
  EXPECT_EQ(read_bytes(folder_ / output / "result.json"), tuned.out);
  const Outcome quantized = lpot({"quantize", "conf.yaml", "-m", kModel, "-q", "-o", output, "--json"});
  EXPECT_EQ(quantized.json()["model"], "out\ufffd/model.xml");
  const std::string model = output + "/model.xml";
  EXPECT_EQ(lpot({"inspect", model, "--json", "-q"}).json()["path"], "out\ufffd/model.xml");
  EXPECT_EQ(lpot({"bench", model, "--seconds", "0.1", "--json", "-q"}).code, 0);
}

TEST_F(BadDisk, AStoreOfAnotherModelIsRefusedAndStaysWhole) {
  ASSERT_EQ(tune().code, 3);
  const std::string before = shown(), model = read_bytes(folder_ / kWorkspace / "best/model.xml");
  // The same network with a comment in its file (ONNX's doc_string).
  write("other.onnx", read_bytes(kModel) + "\x32\x01x");
  for (const char* resume : {"--resume", "--json"})
    expect_one_message(lpot({"tune", "conf.yaml", "-m", "other.onnx", "-q", resume}),
                       {"another model", "model.name", "tuning.workspace.path"});
  EXPECT_EQ(shown(), before);
  EXPECT_EQ(read_bytes(folder_ / kWorkspace / "best/model.xml"), model);
}

TEST_F(BadDisk, AGarbageStoreIsNamedAndLeftAsItIs) {
  std::filesystem::create_directories(folder_ / kWorkspace);
  for (const std::string& garbage : {std::string(5000, '?'), std::string("SQLite format 3\0but not more", 28)}) {
    write(std::string(kWorkspace) + "/lpot.db", garbage);
    expect_one_message(tune(), {"lpot.db", "move it away"});
    expect_one_message(lpot({"show", kWorkspace, "-q"}), {"lpot.db", "move it away"});
    EXPECT_EQ(read_bytes(folder_ / kWorkspace / "lpot.db"), garbage);
  }
}

TEST_F(BadDisk, ShowOfAFolderWithoutAStoreSaysSo) {
  expect_one_message(lpot({"show", "nowhere", "-q"}), {"nowhere", "expected a workspace of lpot"});
  std::filesystem::create_directories(folder_ / kWorkspace);
  write(std::string(kWorkspace) + "/lpot.db", "");
  expect_one_message(lpot({"show", kWorkspace, "-q"}), {"the store contains no study yet"});
}

TEST_F(BadDisk, AFullDiskLeavesTheEarlierResultsWhole) {
  ASSERT_EQ(tune().code, 3);
  const std::string model = read_bytes(folder_ / kWorkspace / "best/model.xml");
  const std::string weights = read_bytes(folder_ / kWorkspace / "best/model.bin");
  const std::size_t trials = lpot({"show", kWorkspace, "--json"}).json().at(0).at("trials").size();

  // From hardly anything to a little less than the model needs.
  for (const std::size_t limit : {std::size_t{1024}, weights.size() - 1}) {
    SCOPED_TRACE(limit);
    expect_one_message(lpot_on_full_disk({"tune", "conf.yaml", "-m", kModel, "-q"}, limit), {kWorkspace});
    expect_one_message(
        lpot_on_full_disk({"quantize", "conf.yaml", "-m", kModel, "-q", "-o", std::string(kWorkspace) + "/best"},
                          limit),
        {"best/model.", "model.xml and model.bin need ", " kB"});
    EXPECT_EQ(read_bytes(folder_ / kWorkspace / "best/model.xml"), model);
    EXPECT_EQ(read_bytes(folder_ / kWorkspace / "best/model.bin"), weights);
    EXPECT_EQ(lpot({"show", kWorkspace, "--json"}).json().at(0).at("trials").size(), trials);
  }
  const Outcome evaluated =
      lpot({"evaluate", "conf.yaml", "-m", std::string(kWorkspace) + "/best/model.xml", "--reference", kModel});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / kWorkspace / "best"))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr(".tmp"))) << "left behind";
}

TEST_F(BadDisk, AResultThatCannotBePrintedIsAnError) {
  const Outcome run = Running({LPOT_PROGRAM, "inspect", kModel}, folder_ / "", 0, "/dev/full").wait();
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, AllOf(StartsWith("lpot: "), HasSubstr("No space left on device")));
}

}  // namespace
}  // namespace lpot
