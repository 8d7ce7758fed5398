// Each verb's result, as text and as JSON, and how the program answers to its options.
#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::string> kVerbs{"tune", "quantize", "evaluate", "bench", "inspect", "show", "init"};

class Cli : public CliTest {
 protected:
  void SetUp() override { write("conf.yaml", kTop1); }
};

TEST_F(Cli, HelpOfEveryVerbShowsExamples) {
  for (const std::string& verb : kVerbs) {
    const Outcome run = lpot({verb, "--help"});
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(run.out, AllOf(HasSubstr("Examples:\n  lpot " + verb + " "), HasSubstr("--json")));
  }
  const Outcome all = lpot({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const std::string& verb : kVerbs) EXPECT_THAT(all.out, HasSubstr("\n  " + verb + " "));
  EXPECT_THAT(all.out, HasSubstr("Exit codes: 0 done, 1 error, 2 wrong usage, 3 the goal was not met"));
}

TEST_F(Cli, WithoutArgumentsShowsTheFirstCommands) {
  const Outcome run = lpot({});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  for (const char* command : {"  lpot doctor ", "  lpot tune --model model.onnx --data DIR ", "  lpot bench "})
    EXPECT_THAT(run.out, HasSubstr(command));
}

TEST_F(Cli, DoctorDescribesTheMachine) {
  const Outcome run = lpot({"doctor"});
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* line : {"lpot        ", "class       ", "precisions  int8 with", "threads     ", "memory      "})
    EXPECT_THAT(run.out, HasSubstr(line));
  const Json json = lpot({"doctor", "--json"}).json();
  EXPECT_GE(json["threads"], 1);
  EXPECT_THAT(json["precisions"].get<std::vector<std::string>>(), testing::Contains("f32"));
  EXPECT_EQ(json["is_quiet"], json["busy_share"] <= 0.1);
  EXPECT_TRUE(json["limits"].is_array());
}

TEST_F(Cli, DoctorNamesALimitedInstructionSet) {
  const Outcome run =
      Running({"/usr/bin/env", "ONEDNN_MAX_CPU_ISA=AVX2", LPOT_PROGRAM, "doctor", "--json"}, folder_ / "", 0).wait();
  EXPECT_FALSE(run.json()["vnni"]);
  EXPECT_THAT(run.json()["limits"].dump(), AllOf(HasSubstr("ONEDNN_MAX_CPU_ISA=AVX2"), HasSubstr("no VNNI")));
}

TEST_F(Cli, TunesWithAFolderAndSavesTheConfiguration) {
  write_pictures("pictures", 60);
  const Outcome dry = lpot({"tune", "--model", kModel, "--data", "pictures", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.err, HasSubstr("# data           "));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "lpot_workspace")) << "a dry run writes nothing";
  const Outcome run = lpot({"tune", "--model", kModel, "--data", "pictures", "--max-loss", "0.5", "--json", "--set",
                            "quantization.recipes.kernel_variants=plain"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.json()["goal_met"]);
  const std::string saved = "lpot_workspace/fashion_cnn-onnx/conf.yaml";
  EXPECT_THAT(run.err, HasSubstr("configuration: " + saved));
  EXPECT_THAT(read_bytes(folder_ / saved), AllOf(HasSubstr("relative: 0.5"), HasSubstr("ImageFolder: {root: ")));
  EXPECT_EQ(lpot({"evaluate", saved, "--model", kModel}).code, 0);
}

TEST_F(Cli, MaxLossWinsOverTheCriterionOfAFile) {
  write_pictures("pictures", 30);
  for (const char* criterion : {"relative: 0.02", "absolute: 0.3"}) {
    write("goal.yaml", "tuning: {accuracy_criterion: {" + std::string(criterion) + "}}\n");
    const std::vector<std::string> words{"tune", "goal.yaml", "--model", kModel, "--data", "pictures", "--dry-run"};
    std::vector<std::string> with_option = words;
    with_option.insert(with_option.end(), {"--max-loss", "0.25"});
    EXPECT_THAT(lpot(words).out, HasSubstr(criterion[0] == 'r' ? "relative = 0.02" : "absolute = 0.3"));
    EXPECT_THAT(lpot(with_option).out, HasSubstr("relative = 0.25"));
  }
}

TEST_F(Cli, WritesAndQuantizesWithAFolder) {
  write_pictures("pictures", 30);
  EXPECT_EQ(lpot({"init", kModel, "--data", "pictures", "--output", "made.yaml"}).code, 0);
  EXPECT_THAT(read_bytes(folder_ / "made.yaml"), HasSubstr("# data           "));
  const Outcome run = lpot({"quantize", "--model", kModel, "--data", "pictures", "--output", "int8", "--set",
                            "quantization.recipes.kernel_variants=plain"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "int8/model.xml"));
}

TEST_F(Cli, AFolderNeedsAModelAndData) {
  EXPECT_THAT(lpot({"tune", "--data", "."}).err, HasSubstr("no model; give its file with --model FILE"));
  EXPECT_THAT(lpot({"tune", "--model", kModel, "--data", "none"}).err, HasSubstr("none: no such folder"));
  EXPECT_EQ(lpot({"tune", "--model", kModel, "--data", ".", "--max-loss", "2"}).code, 2);
}

TEST_F(Cli, CountsAndNamesImagesThatAreSkipped) {
  write_pictures("pictures", 30);
  write("pictures/9_boot/broken.png", "no image");
  write("images.yaml",
        "model: {name: net}\nevaluation:\n  accuracy:\n    metric: {topk: 1}\n    dataloader:\n      dataset: "
        "{ImageFolder: {root: pictures}}\n      transform: {AlignImageChannel: 1, ToTensor: {}}\n");
  const Outcome failed = lpot({"evaluate", "images.yaml", "--model", kModel});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("9_boot/broken.png"), HasSubstr("set on_error: skip in the dataloader")));
  const Outcome run = lpot({"evaluate", "images.yaml", "--model", kModel, "--json", "--set",
                            "evaluation.accuracy.dataloader.on_error=skip"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["samples"], 30);
  EXPECT_THAT(run.err, AllOf(HasSubstr("evaluation data: skipped 1 of 31 samples that cannot be read"),
                             HasSubstr("9_boot/broken.png")));
}

TEST_F(Cli, VersionIsOneLine) {
  const Outcome run = lpot({"--version"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, testing::MatchesRegex("lpot [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Cli, WrongUsageExitsWithTwoAndPointsToHelp) {
  const std::vector<std::vector<std::string>> usages{
      {"tone"},
      {"tune"},
      {"tune", "conf.yaml", "--frobnicate"},
      {"tune", "conf.yaml", "--set"},
      {"evaluate"},
      {"bench"},
      {"bench", kModel, "--batch-size", "0"},
      {"bench", kModel, "--batch-size", "many"},
      {"bench", kModel, "--threads", "-1"},
      {"bench", kModel, "--seconds", "0"},
      {"inspect"},
      {"inspect", kModel, kModel},
      {"show"},
      {"init"},
  };
  for (const auto& usage : usages) {
    const Outcome run = lpot(usage);
    SCOPED_TRACE(testing::PrintToString(usage));
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("--help"));
  }
}

TEST_F(Cli, InspectShowsPortsAndWhatCanRunInInt8) {
  const Json model = lpot({"inspect", kModel, "--json"}).json();
  EXPECT_EQ(model["format"], "onnx");
  EXPECT_EQ(model["inputs"], Json::parse(R"([{"name": "image", "element_type": "f32", "shape": [-1, 1, 28, 28]}])"));
  EXPECT_EQ(model["outputs"][0]["name"], "logits");
  EXPECT_EQ(model["op_types"]["Convolution"], 5);
  EXPECT_THAT(model["quantizable"], SizeIs(9));
  EXPECT_EQ(model["quantizable"][0]["name"], "/stem/conv/Conv");
  EXPECT_THAT(model["quantized"], SizeIs(0));
  EXPECT_EQ(lpot({"inspect", kModel, "--json"}).json(), model);
  EXPECT_THAT(lpot({"inspect", kModel}).out, AllOf(HasSubstr("input   image f32 [?,1,28,28]"), HasSubstr("/fc/Gemm")));
}

TEST_F(Cli, EvaluateReportsTheNumberOfConfiguredSamples) {
  const Outcome run = lpot({"evaluate", "conf.yaml", "-m", kModel, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json score = run.json();
  EXPECT_EQ(score["samples"], 32);
  EXPECT_EQ(score["accuracy"], score["metrics"]["topk 1"]);
  EXPECT_GT(score["accuracy"].get<double>(), 0.8);
  EXPECT_GT(score["seconds"].get<double>(), 0);
  EXPECT_THAT(lpot({"evaluate", "conf.yaml", "-m", kModel}).out, AllOf(HasSubstr("topk"), HasSubstr("32 samples in")));
}

TEST_F(Cli, EvaluateWithAgreementNeedsAReference) {
  write("agree.yaml", kData + "    metric: {Agreement: {}}\n");
  expect_one_message(lpot({"evaluate", "agree.yaml", "-m", kModel, "-q"}), {"--reference FILE"});
  const Outcome same = lpot({"evaluate", "agree.yaml", "-m", kModel, "--reference", kModel, "--json"});
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.json()["accuracy"], 1.0);
}

TEST_F(Cli, QuantizeWritesAModelThatEvaluates) {
  const Outcome run = lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "q", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = run.json();
  EXPECT_EQ(result["model"], "q/model.xml");
  EXPECT_EQ(result["int8_ops"], 9);
  EXPECT_EQ(result["fp32_ops"], 0);
  EXPECT_EQ(result["calibration_samples"], 8);
  EXPECT_LT(result["size_bytes"], result["source_bytes"]);
  EXPECT_TRUE(exists("q/deploy.yaml"));
  EXPECT_EQ(result["onnx"]["path"], "q/model.onnx");
  EXPECT_LT(result["onnx"]["size_bytes"], result["source_bytes"]);
  for (const char* model : {"q/model.xml", "q/model.onnx"})
    EXPECT_GT(lpot({"evaluate", "conf.yaml", "-m", model, "--json"}).json()["accuracy"].get<double>(), 0.8) << model;
}

TEST_F(Cli, QuantizeKeepsInFp32WhatOpWiseSays) {
  const Outcome run = lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "q", "--json", "--set",
                            "quantization.op_wise={/fc/Gemm: {weight: {dtype: fp32}, activation: {dtype: fp32}}}"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["fp32_ops"], 1);
  EXPECT_THAT(read_bytes(folder_ / "q/deploy.yaml"), HasSubstr("fallback:\n  - /fc/Gemm"));
}

TEST_F(Cli, AnInt8ModelIsNotQuantizedAgain) {
  ASSERT_EQ(lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "q", "-q"}).code, 0);
  for (const std::string verb : {"quantize", "tune"}) {
    const Outcome run = lpot({verb, "conf.yaml", "-m", "q/model.xml", "-q"});
    EXPECT_NE(run.code, 0);
    EXPECT_THAT(run.err, AllOf(HasSubstr("q/model.xml: the model is quantized already: 9 ops have int8 weights, and "),
                               HasSubstr("Pass the fp32 model")));
  }
  const Json model = lpot({"inspect", "q/model.xml", "--json"}).json();
  EXPECT_THAT(model["quantizable"], SizeIs(0));
  EXPECT_THAT(model["quantized"], SizeIs(9));
  EXPECT_THAT(lpot({"inspect", "q/model.xml"}).out,
              AllOf(HasSubstr("The model is quantized already: 9 ops have int8 weights"), HasSubstr("/fc/Gemm")));
}

TEST_F(Cli, InspectShowsTheKernelsThatRun) {
  ASSERT_EQ(lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "q", "-q"}).code, 0);
  const Json fp32 = lpot({"inspect", "--executed", kModel, "--json"}).json();
  EXPECT_EQ(fp32["int8_kernels"], 0);
  EXPECT_EQ(fp32["int8_percent"], 0.0);
  const Json int8 = lpot({"inspect", "--executed", "q/model.xml", "--batch-size", "4", "--json"}).json();
  EXPECT_GE(int8["int8_kernels"], 9);
  EXPECT_GT(int8["int8_percent"], 0.0);
  EXPECT_GT(int8["total_ms"], 0.0);
  EXPECT_THAT(lpot({"inspect", "--executed", "q/model.xml"}).out, HasSubstr("int8 kernels take"));
}

TEST_F(Cli, BenchComparesWithTheFirstModel) {
  ASSERT_EQ(lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "q", "-q"}).code, 0);
  const Outcome run =
      lpot({"bench", kModel, "q/model.xml", "--seconds", "0.2", "--batch-size", "4", "--threads", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = run.json();
  EXPECT_EQ(result["batch_size"], 4);
  EXPECT_EQ(result["threads"], 1);
  ASSERT_THAT(result["models"], SizeIs(2));
  EXPECT_EQ(result["models"][0]["path"], kModel);
  EXPECT_EQ(result["models"][1]["path"], "q/model.xml");
  for (const Json& model : result["models"]) {
    const Json& latency = model["latency_ms"];
    const double median = latency["median"], p90 = latency["p90"], p99 = latency["p99"];
    EXPECT_GT(median, 0);
    EXPECT_LE(median, p90);
    EXPECT_LE(p90, p99);
    EXPECT_NEAR(model["throughput"].get<double>(), 4000 / median, 1e-6 * 4000 / median);
    EXPECT_GT(model["speedup_low"], 0);
    EXPECT_LE(model["speedup_low"], model["speedup"]);
    EXPECT_LE(model["speedup"], model["speedup_high"]);
  }
  EXPECT_EQ(result["models"][0]["speedup"], 1.0);
}

TEST_F(Cli, BenchRejectsInvalidShapes) {
  for (const char* shape : {"image", "image=", "image=1,a", "image=1,,28", "=1,28", "image=1,0,28,28", "image=1,1,28,"})
    expect_one_message(lpot({"bench", kModel, "-q", "--shape", shape}), {"--shape", shape});
  expect_one_message(lpot({"bench", kModel, "-q", "--shape", "picture=1,1,28,28"}), {"picture", "image"});
}

TEST_F(Cli, BenchSuggestsAShapeOfTheInputsRank) {
  expect_one_message(lpot({"bench", kModel, "-q", "--input-shape", "image=-1,1,-1,-1"}), {"--shape image=1,1,224,224"});
}

TEST_F(Cli, BenchUsesTheShapesOfTheDeployFileBesideAModel) {
  std::filesystem::create_directories(folder_ / "q");
  std::filesystem::copy_file(kModel, folder_ / "q/model.onnx");
  write("q/deploy.yaml", "static_shapes: {inputs: {image: [1, 1, 28, 28]}}\n");
  const Outcome run = lpot({"bench", kModel, "q/model.onnx", "--input-shape", "image=-1,1,-1,-1", "--seconds", "0.05",
                            "--batch-size", "2", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST_F(Cli, QuantizePrintsHowToRunBothFilesAndClaimsNoSpeed) {
  const Outcome run = lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "q"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("openvino"), HasSubstr("ort.InferenceSession(\"q/model.onnx\")"),
                    HasSubstr("The accuracy was not measured"), testing::Not(HasSubstr("speed was measured"))));
}

TEST_F(Cli, ShowListsStudiesAndTrials) {
  write("never.yaml", kUnreachable + "  exit_policy: {max_trials: 1}\n");
  const Outcome tuned = lpot({"tune", "never.yaml", "-m", kModel, "--quiet"});
  ASSERT_EQ(tuned.code, 3);
  EXPECT_EQ(tuned.err, "") << "quiet says nothing but the result";
  const Json studies = lpot({"show", "lpot_workspace/net-onnx", "--json"}).json();
  ASSERT_THAT(studies, SizeIs(1));
  EXPECT_EQ(studies[0]["model"], "net");
  EXPECT_EQ(studies[0]["baseline"]["accuracy"], 0.0);
  EXPECT_EQ(studies[0]["settings"]["tuning.accuracy_criterion.absolute"], "0");
  ASSERT_THAT(studies[0]["trials"], SizeIs(1));
  const Json trial = studies[0]["trials"][0];
  EXPECT_EQ(trial["number"], 1);
  EXPECT_EQ(trial["error"], "");
  EXPECT_THAT(trial["fallback"], IsEmpty());
  EXPECT_THAT(trial["plan"]["ops"], SizeIs(9));
  EXPECT_EQ(trial["result"]["samples"], 32);
  EXPECT_THAT(lpot({"show", "lpot_workspace/net-onnx"}).out,
              AllOf(HasSubstr("study 1 of net"), HasSubstr("fp32 ms"), HasSubstr("not int8"),
                    HasSubstr("recipes from trial 1: smooth_quant, int8_embeddings, residual_sums\n"),
                    HasSubstr("against fp32 in the same run"),
                    HasSubstr("best model: lpot_workspace/net-onnx/best/model.xml")));
}

TEST_F(Cli, ShowPrintsTheSettingsThatDifferBetweenStudies) {
  write("never.yaml", kUnreachable + "  exit_policy: {max_trials: 1}\n");
  ASSERT_EQ(lpot({"tune", "never.yaml", "-m", kModel, "-q"}).code, 3);
  ASSERT_EQ(lpot({"tune", "never.yaml", "-m", kModel, "-q"}).code, 3);
  ASSERT_EQ(lpot({"tune", "never.yaml", "-m", kModel, "-q", "--set", "tuning.random_seed=7"}).code, 3);
  EXPECT_THAT(lpot({"show", "lpot_workspace/net-onnx"}).out,
              AllOf(HasSubstr("same settings as study 1\n"), HasSubstr("tuning.random_seed: \"7\" (study 2: ")));
}

TEST_F(Cli, WhatInitWritesIsAConfigForThatModel) {
  const Outcome run = lpot({"init", kModel, "--output", "mine.yaml"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("lpot tune mine.yaml --model " + kModel));
  const std::string text = read_bytes(folder_ / "mine.yaml");
  EXPECT_EQ(lpot({"init", kModel}).out, text);
  EXPECT_EQ(lpot({"init", kModel, "--json"}).json()["text"], text);
  const Outcome tried = lpot({"tune", "mine.yaml", "-m", kModel, "--dry-run", "--json"});
  EXPECT_EQ(tried.code, 0) << tried.err;
  EXPECT_EQ(tried.json()["evaluation_samples"], 10000);
  EXPECT_EQ(tried.err, "") << "a warning about a config that we wrote ourselves";
}

TEST_F(Cli, InitOverwritesAFileOnlyWithForce) {
  write("mine.yaml", "precious");
  expect_one_message(lpot({"init", kModel, "-q", "-o", "mine.yaml"}), {"mine.yaml", "--force"});
  EXPECT_EQ(read_bytes(folder_ / "mine.yaml"), "precious");
  EXPECT_EQ(lpot({"init", kModel, "-q", "-o", "mine.yaml", "--force"}).code, 0);
  EXPECT_THAT(read_bytes(folder_ / "mine.yaml"), HasSubstr("FashionMNIST"));
}

}  // namespace
}  // namespace lpot
