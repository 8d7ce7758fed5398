#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lpot/config/describe.h"
#include "lpot/core/error.h"
#include "tests/config/tables.h"

namespace lpot {
namespace {

using Texts = std::vector<std::string>;

// Writes texts to the files a.yaml, b.yaml, ... in a temporary working directory and loads them.
class Merge : public testing::Test {
 protected:
  Merge() : before_(std::filesystem::current_path()) {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("lpot_merge_" + test);
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~Merge() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  Config load(const Texts& texts, const Texts& overrides = {}) const {
    Texts files;
    for (const std::string& text : texts) {
      files.push_back(std::string(1, static_cast<char>('a' + files.size())) + ".yaml");
      std::ofstream(files.back()) << text;
    }
    return load_config(files, overrides, kTables);
  }

  std::string error(const Texts& texts, const Texts& overrides = {}) const {
    try {
      load(texts, overrides);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path before_, folder_;
};

const std::string kModel = "model: {name: net, framework: onnx}\n";

std::string with_dataset(const std::string& dataset) {
  return "quantization: {calibration: {dataloader: {batch_size: 4, dataset: " + dataset + "}}}\n";
}

TEST_F(Merge, LaterFilesOverrideEarlierOnesKeyByKey) {
  const Config config = load({kModel + "tuning: {random_seed: 1, objective: modelsize}", "tuning: {random_seed: 2}"});
  EXPECT_EQ(config.model.name, "net");
  EXPECT_EQ(config.tuning.random_seed, 2u);
  EXPECT_EQ(config.tuning.objective, Objective::ModelSize);
  EXPECT_EQ(config.files, (Texts{"a.yaml", "b.yaml"}));
}

TEST_F(Merge, ListsAreReplaced) {
  const Config config = load({kModel, "model: {inputs: [a, b]}", "model: {inputs: [c]}"});
  EXPECT_EQ(config.model.inputs, Texts{"c"});
}

TEST_F(Merge, AnotherDatasetReplacesTheFirst) {
  const Config config = load({kModel + with_dataset("{CIFAR10: {root: ./data}}"), with_dataset("{dummy: {shape: 3}}")});
  EXPECT_EQ(config.quantization.calibration->dataset.name, "dummy");
  EXPECT_FALSE(config.quantization.calibration->dataset.parameters.has("root"));
}

TEST_F(Merge, TheSameDatasetKeepsItsOtherParameters) {
  const Config config =
      load({kModel + with_dataset("{CIFAR10: {root: ./data}}"), with_dataset("{CIFAR10: {train: true}}")});
  const Parameters& parameters = config.quantization.calibration->dataset.parameters;
  EXPECT_EQ(parameters.text("root"), "./data");
  EXPECT_TRUE(parameters.flag("train"));
}

TEST_F(Merge, AnotherMetricReplacesOneGivenUnderTheOlderKey) {
  const Config config = load({kModel + "tuning: {metric: {topk: 5}}", "evaluation: {accuracy: {metric: MSE}}"});
  ASSERT_EQ(config.accuracy.metrics.size(), 1u);
  EXPECT_EQ(config.accuracy.metrics[0].name, "MSE");
}

TEST_F(Merge, AbsoluteReplacesRelativeAndKeepsHigherIsBetter) {
  const Config config = load({kModel + "tuning: {accuracy_criterion: {relative: 0.1, higher_is_better: false}}",
                              "tuning: {accuracy_criterion: {absolute: 2}}"});
  EXPECT_EQ(config.tuning.criterion, (Criterion{.relative = false, .tolerance = 2, .higher_is_better = false}));
}

TEST_F(Merge, AnotherStrategyDropsTheParametersOfTheFirst) {
  const Config config =
      load({kModel + "tuning: {strategy: {name: tpe, accuracy_weight: 2}}", "tuning: {strategy: basic}"});
  EXPECT_EQ(config.tuning.strategy.name, "basic");
  EXPECT_FALSE(config.tuning.strategy.parameters.has("accuracy_weight"));
}

TEST_F(Merge, AnotherPipelineReplacesTransformsAndTheSamePipelineUpdatesParameters) {
  const std::string loader = "quantization: {calibration: {dataloader: {transform: ";
  const std::string base = kModel + with_dataset("{dummy: {shape: 3}}");
  const auto transforms = [&](const Texts& pipelines) {
    Texts files{base}, names;
    for (const std::string& pipeline : pipelines) files.push_back(loader + pipeline + "}}}");
    const Config config = load(files);
    for (const Component& component : config.quantization.calibration->transforms)
      names.push_back(component.name + "(" + component.parameters.describe() + ")");
    return names;
  };
  EXPECT_EQ(transforms({"{Resize: 8, Rescale: }", "{ToTensor: , Rescale: }"}), (Texts{"ToTensor()", "Rescale()"}));
  EXPECT_EQ(transforms({"{Resize: 8, ToTensor: , Rescale: }", "{ToTensor: , Rescale: }"}),
            (Texts{"ToTensor()", "Rescale()"}));
  EXPECT_EQ(transforms({"{Resize: {size: 8}, Rescale: }", "{Resize: {size: 9}}"}),
            (Texts{"Resize(interpolation=bilinear, size=[9])", "Rescale()"}));
}

TEST_F(Merge, CombinesIlitAndLpotFiles) {
  const Config config =
      load({"framework: [{name: pytorch}]\ntuning: {timeout: 5}", "tuning: {exit_policy: {timeout: 6}}"});
  EXPECT_EQ(config.model.framework, Framework::PyTorch);
  EXPECT_EQ(config.tuning.exit_policy.timeout_seconds, 6);
}

TEST_F(Merge, AnEmptySectionChangesNothing) {
  EXPECT_EQ(load({kModel + "tuning: {random_seed: 1}", "tuning:\n"}).tuning.random_seed, 1u);
}

TEST_F(Merge, ErrorsNameTheFileWithTheInvalidValue) {
  EXPECT_EQ(error({kModel + "tuning: {random_seed: 1}", "\ntuning: {random_seed: x}"}),
            "[load_config] b.yaml:2: tuning.random_seed: expected an integer >= 0, got 'x'");
}

TEST_F(Merge, OverridesAreYamlAndApplyAfterAllFiles) {
  const Config config = load({kModel + "tuning: {random_seed: 1, accuracy_criterion: {relative: 1%}}"},
                             {"tuning.random_seed=7", "tuning.accuracy_criterion.absolute=0.5", "tuning.max_trials = 3",
                              "quantization.op_wise={'a.b': {weight: {dtype: [fp32]}}}"});
  EXPECT_EQ(config.tuning.random_seed, 7u);
  EXPECT_EQ(config.tuning.criterion, (Criterion{.relative = false, .tolerance = 0.5}));
  EXPECT_EQ(config.tuning.exit_policy.max_trials, 3u);
  ASSERT_EQ(config.quantization.op_wise.size(), 1u);
  EXPECT_EQ(config.quantization.op_wise[0].first, "a.b");
}

TEST_F(Merge, ErrorsOfOverridesShowTheOverride) {
  EXPECT_EQ(error({kModel}, {"tuning.random_seed=x"}),
            "[load_config] --set tuning.random_seed=x: tuning.random_seed: expected an integer >= 0, got 'x'");
  EXPECT_EQ(error({kModel}, {"tuning.random_seed"}),
            "[load_config] --set tuning.random_seed: expected key=value, such as tuning.random_seed=1");
  EXPECT_EQ(error({kModel}, {"tuning..seed=1"}),
            "[load_config] --set tuning..seed=1: empty key; expected key=value, such as tuning.random_seed=1");
  EXPECT_EQ(error({kModel}, {"tuning.sed=1"}),
            "[load_config] --set tuning.sed=1: tuning.sed: unknown key; expected one of strategy, accuracy_criterion, "
            "objective, exit_policy, random_seed, tensorboard, workspace");
  EXPECT_TRUE(error({kModel}, {"tuning.random_seed=[1"})
                  .starts_with("[load_config] --set tuning.random_seed=[1: invalid YAML"));
}

TEST_F(Merge, OlderKeyNamesAreAliases) {
  const std::string named = kModel + "quantization: {recipes: {kernel_variants: plain, int8_embeddings: false}}";
  const Config overridden = load({named}, {"quantization.recipes.forms=measured"});
  EXPECT_TRUE(overridden.quantization.recipes.measured_kernel_variants);
  const std::string older = kModel + "quantization: {recipes: {int8_tables: true}}";
  EXPECT_EQ(load({older, named}).quantization.recipes.values.at("int8_tables"), RecipeValue(false));
  EXPECT_EQ(load({named, older}).quantization.recipes.values.at("int8_tables"), RecipeValue(true));
  EXPECT_EQ(
      error({kModel + "quantization: {recipes: {forms: plain, kernel_variants: measured}}"}),
      "[load_config] a.yaml:2: quantization.recipes.forms: conflicts with quantization.recipes.kernel_variants at "
      "a.yaml:2. Keep only one of them.");
  EXPECT_EQ(error({kModel + "quantization: {recipes: {int8_tables: 3}}"}),
            "[load_config] a.yaml:2: quantization.recipes.int8_tables: expected true or false, got '3'");
}

TEST_F(Merge, MergesTextsInMemoryAndNamesThemInErrors) {
  const ConfigDocument defaults{"defaults", "model: {name: net}\ntuning: {exit_policy: {max_trials: 3}}"};
  const Config config =
      load_config_documents({defaults, {"arguments", "tuning: {exit_policy: {max_trials: 5}}"}}, {}, kTables);
  EXPECT_EQ(config.tuning.exit_policy.max_trials, 5u);
  EXPECT_EQ(config.model.name, "net");
  EXPECT_EQ(config.files, (std::vector<std::string>{"defaults", "arguments"}));
  try {
    load_config_documents({defaults, {"arguments", "tuning: {exit_policy: {max_trials: 0}}"}}, {}, kTables);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("arguments:1: tuning.exit_policy.max_trials"), std::string::npos);
  }
}

TEST_F(Merge, RejectsFilesThatAreNotConfigurations) {
  EXPECT_EQ(error({}), "[load_config] no file given; expected at least one YAML file");
  EXPECT_THROW(load_config({"missing.yaml"}, {}, kTables), ConfigError);
  EXPECT_EQ(error({std::string("\x7f"
                               "ELF\0\1",
                               6)}),
            "[load_config] a.yaml: not a text file; expected YAML in UTF-8");
  EXPECT_EQ(error({""}),
            "[load_config] a.yaml: the file is empty; expected keys such as model, quantization and tuning");
  std::filesystem::create_directory("folder");
  try {
    load_config({"folder"}, {}, kTables);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "[load_config] folder: this is a folder; expected a YAML file");
  }
}

}  // namespace
}  // namespace lpot
