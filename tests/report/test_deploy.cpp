#include "lpot/report/deploy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include "lpot/core/error.h"
#include "lpot/core/version.h"
#include "lpot/model/load.h"
#include "tests/support/files.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

using testing::ElementsAre;

const OpPlan kInt8{Precision::Int8,
                   {Algorithm::Kl, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                   {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};

class DeployTest : public testing::Test {
 protected:
  DeployTest() {
    tuned_.trial = trial(7, measured(0.8912345, 1.75, 31000));
    tuned_.trial->plan = tuned_.plan;
  }

  Model source_ = load_model(LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx");
  Deployment tuned_{.model_name = "fashion: \"cnn\"",
                    .source = source_,
                    .plan = {{{"/conv1/Conv", kInt8}, {"fc", {}}}},
                    .cpu = {.name = "Some CPU @ 2 GHz", .avx2 = true, .cores = 2},
                    .command = "lpot tune 'a b.yaml' --set x=[1]",
                    .goal = Goal{.baseline = 0.9, .tolerance = 0.01},
                    .baseline = measured(0.9)};
  TempFolder folder_;
};

TEST_F(DeployTest, DescribesTheModelAndTheCommandThatReproducesIt) {
  const YAML::Node yaml = YAML::Load(deploy_yaml(tuned_));
  EXPECT_EQ(yaml["model"]["name"].as<std::string>(), tuned_.model_name);
  EXPECT_EQ(yaml["model"]["source"].as<std::string>(), source_.source.string());
  EXPECT_EQ(yaml["model"]["format"].as<std::string>(), "onnx");
  EXPECT_EQ(yaml["model"]["fingerprint"].as<std::string>(), source_.fingerprint);
  EXPECT_EQ(yaml["command"].as<std::string>(), tuned_.command);
  EXPECT_EQ(yaml["machine"]["cpu"].as<std::string>(), "Some CPU @ 2 GHz");
  EXPECT_EQ(yaml["machine"]["cpu_class"].as<std::string>(), "avx2");
  EXPECT_EQ(yaml["versions"]["lpot"].as<std::string>(), kVersion);
  EXPECT_THAT(yaml["versions"]["openvino"].as<std::string>(), testing::StartsWith("2026.4"));
}

TEST_F(DeployTest, HasLatenciesWhoseRatioIsTheSpeedup) {
  tuned_.baseline->latency_ms = 4.9;  // measured alone, on a busier machine
  tuned_.trial->result->latency_ms = 2.03;
  tuned_.trial->result->speedup = 2.078;
  const YAML::Node yaml = YAML::Load(deploy_yaml(tuned_));
  EXPECT_NEAR(yaml["baseline"]["latency_ms"].as<double>() / yaml["best"]["latency_ms"].as<double>(), 2.078, 1e-4);
  EXPECT_NEAR(yaml["best"]["latency_ms"].as<double>(), 2.03, 1e-5);
}

TEST_F(DeployTest, SaysWhatWasMeasuredAndWhetherTheGoalIsMet) {
  const YAML::Node yaml = YAML::Load(deploy_yaml(tuned_));
  EXPECT_EQ(yaml["trial"].as<int>(), 7);
  EXPECT_NEAR(yaml["best"]["metrics"]["topk"].as<double>(), 0.8912345, 1e-6);
  EXPECT_EQ(yaml["best"]["size_bytes"].as<int>(), 31000);
  EXPECT_DOUBLE_EQ(yaml["best"]["speedup"].as<double>(), 1.75);
  EXPECT_DOUBLE_EQ(yaml["baseline"]["metrics"]["topk"].as<double>(), 0.9);
  EXPECT_TRUE(yaml["goal"]["met"].as<bool>());
  EXPECT_EQ(yaml["goal"]["text"].as<std::string>(), tuned_.goal->describe());
  tuned_.goal->tolerance = 0.001;
  EXPECT_FALSE(YAML::Load(deploy_yaml(tuned_))["goal"]["met"].as<bool>());
}

TEST_F(DeployTest, HoldsThePlanOpByOp) {
  const YAML::Node yaml = YAML::Load(deploy_yaml(tuned_));
  EXPECT_EQ(yaml["plan_hash"].as<std::string>(), plan_hash(tuned_.plan));
  EXPECT_THAT(yaml["fallback"].as<std::vector<std::string>>(), ElementsAre("fc"));
  EXPECT_EQ(yaml["plan"].size(), 2u);
  const YAML::Node conv = yaml["plan"]["/conv1/Conv"];
  EXPECT_EQ(conv["precision"].as<std::string>(), "int8");
  EXPECT_EQ(conv["activation"]["algorithm"].as<std::string>(), "kl");
  EXPECT_EQ(conv["activation"]["scheme"].as<std::string>(), "asym");
  EXPECT_EQ(conv["weight"]["granularity"].as<std::string>(), "per_channel");
  EXPECT_EQ(conv["weight"]["bits"].as<int>(), 7);
  EXPECT_EQ(yaml["plan"]["fc"]["precision"].as<std::string>(), "fp32");
}

TEST_F(DeployTest, SaysWhichStaticShapesAreFastAndHowToGetThem) {
  EXPECT_FALSE(YAML::Load(deploy_yaml(tuned_))["static_shapes"]);
  tuned_.shapes = {.inputs = {{"ids", {1, 64}}}, .lengths = {32, 64}};
  const YAML::Node shapes = YAML::Load(deploy_yaml(tuned_))["static_shapes"];
  EXPECT_THAT(shapes["inputs"]["ids"].as<std::vector<int>>(), ElementsAre(1, 64));
  EXPECT_THAT(shapes["lengths"].as<std::vector<int>>(), ElementsAre(32, 64));
  EXPECT_EQ(shapes["python"].as<std::string>(), tuned_.shapes.python_line());
  EXPECT_EQ(shapes["cpp"].as<std::string>(), tuned_.shapes.cpp_line());
}

TEST_F(DeployTest, GivesItsStaticShapesBack) {
  tuned_.shapes = {.inputs = {{"ids", {1, 64}}, {"mask", {1, 64}}}, .lengths = {}};
  folder_.write("deploy.yaml", deploy_yaml(tuned_));
  EXPECT_EQ(deployed_shapes(folder_.path()),
            (std::map<std::string, std::vector<std::int64_t>>{{"ids", {1, 64}}, {"mask", {1, 64}}}));
  folder_.write("deploy.yaml", "static_shapes: {inputs: {ids: [1, many]}}");
  EXPECT_TRUE(deployed_shapes(folder_.path()).empty());
  EXPECT_TRUE(deployed_shapes(folder_ / "nowhere").empty());
}

TEST_F(DeployTest, HasNoScoresForAModelThatWasQuantizedOnce) {
  const YAML::Node yaml = YAML::Load(deploy_yaml({"net", source_, tuned_.plan, {}, "lpot quantize"}));
  for (const char* key : {"goal", "baseline", "best", "trial"}) EXPECT_FALSE(yaml[key]) << key;
  EXPECT_TRUE(yaml["plan"]);
}

TEST_F(DeployTest, NamesTheGroupSizeThatADynamicallyQuantizedModelStores) {
  Plan plan = tuned_.plan;
  for (auto& [name, op] : plan.ops) {
    op.precision = Precision::Int8;
    op.weights_only = true;
  }
  plan.recipes.set("run_time_groups", std::int64_t{64});
  const YAML::Node yaml = YAML::Load(deploy_yaml({"net", source_, plan, {}, "lpot quantize"}));
  EXPECT_EQ(yaml["runtime_settings"]["DYNAMIC_QUANTIZATION_GROUP_SIZE"].as<int>(), 64);
}

TEST_F(DeployTest, SavesTheFilesAndLeavesNothingElse) {
  const std::size_t bytes = save_deployment(folder_ / "out", {}, tuned_);
  std::size_t found = 0;
  for (const char* name : {"model.xml", "model.bin"}) found += std::filesystem::file_size(folder_ / "out" / name);
  EXPECT_EQ(bytes, found);
  for (const char* name : {"deploy.yaml", "model.onnx"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "out"), {}), 4);
}

TEST_F(DeployTest, AModelThatCannotBeWrittenAsOnnxIsAWarningAndNoOldFileIsLeft) {
  save_deployment(folder_ / "out", {}, tuned_);
  const Model cut = load_model(source_.source, {.outputs = {"/stem/relu/Relu_output_0"}});
  std::vector<std::string> warnings;
  Observer observer;
  observer.on_log = [&](LogLevel, std::string_view text) { warnings.emplace_back(text); };
  save_deployment(folder_ / "out", {}, {"net", cut, {}, {}, ""}, observer);
  EXPECT_THAT(warnings, ElementsAre(testing::HasSubstr("model.onnx is not written: ")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/model.onnx"));
}

TEST_F(DeployTest, IsDeployedOnlyForItsOwnTrial) {
  EXPECT_FALSE(is_deployed(folder_ / "out", tuned_));
  save_deployment(folder_ / "out", {}, tuned_);
  EXPECT_TRUE(is_deployed(folder_ / "out", tuned_));

  Deployment resumed = tuned_;
  resumed.command = "lpot tune --resume";
  EXPECT_TRUE(is_deployed(folder_ / "out", resumed));
  Deployment other_trial = tuned_;
  other_trial.trial->number = 8;
  EXPECT_FALSE(is_deployed(folder_ / "out", other_trial));
  Deployment other_plan = tuned_;
  other_plan.plan.ops["fc"] = kInt8;
  EXPECT_FALSE(is_deployed(folder_ / "out", other_plan));
  Deployment other_study = tuned_;  // with a trial of the same number and plan
  other_study.trial->result->latency_ms *= 1.01;
  EXPECT_FALSE(is_deployed(folder_ / "out", other_study));
}

TEST_F(DeployTest, IsNotDeployedWhenAFileIsMissingOrNotYaml) {
  for (const char* name : {"model.xml", "model.bin", "deploy.yaml"}) {
    save_deployment(folder_ / "out", {}, tuned_);
    std::filesystem::remove(folder_ / "out" / name);
    EXPECT_FALSE(is_deployed(folder_ / "out", tuned_)) << name;
  }
  for (const char* text : {"", "[1, 2]", "{", "trial: {}"}) {
    save_deployment(folder_ / "out", {}, tuned_);
    write_bytes(folder_ / "out/deploy.yaml", text);
    EXPECT_FALSE(is_deployed(folder_ / "out", tuned_)) << text;
  }
}

// The id of a process that ran and is gone.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(DeployTest, LeftoversOfKilledProcessesAreRemovedAndNothingElse) {
  const std::string gone = std::to_string(ended_process()), alive = std::to_string(::getppid());
  for (const std::string& name :
       {"model." + gone + ".tmp.xml", "model." + gone + ".tmp.bin", "model." + gone + ".tmp.onnx",
        "deploy." + gone + ".tmp.yaml", "result." + gone + ".tmp.json", "report." + gone + ".tmp.html"})
    write_bytes(folder_ / name, "half");
  for (const std::string& name : {"model." + alive + ".tmp.xml", std::string("model.xml"), std::string("model.tmp.xml"),
                                  "notes." + gone + ".tmp.xml"})
    write_bytes(folder_ / name, "keep");
  remove_leftovers(folder_ / "");
  EXPECT_THAT(folder_.names(), testing::UnorderedElementsAre("model." + alive + ".tmp.xml", "model.xml",
                                                             "model.tmp.xml", "notes." + gone + ".tmp.xml"));
  EXPECT_NO_THROW(remove_leftovers(folder_ / "not there"));
}

TEST_F(DeployTest, NamesTheOutputsAndInputsOfAState) {
  EXPECT_FALSE(YAML::Load(deploy_yaml(tuned_))["state"]);
  source_.state = {{.output = 0, .input = 0}};
  const YAML::Node state = YAML::Load(deploy_yaml(tuned_))["state"];
  EXPECT_EQ(state["outputs"][model_outputs(source_)[0].name].as<std::string>(), model_inputs(source_)[0].name);
  EXPECT_THAT(state["text"].as<std::string>(), testing::HasSubstr("set these inputs to zeros"));
}

}  // namespace
}  // namespace lpot
