#include "lpot/tune/setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/core/error.h"
#include "tests/support/files.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFashionModel = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";

Config config_of(const std::string& text) { return load_config_text(text, "conf.yaml", component_tables()); }

std::string loader(const std::string& shape, int batch_size) {
  return "{batch_size: " + std::to_string(batch_size) + ", dataset: {dummy: {shape: " + shape + "}}}";
}

TEST(CalibrationLoader, TakesTheEvaluationDataWithAWarningWhenItHasNoneOfItsOwn) {
  const Config config =
      config_of("model: {name: n}\nevaluation: {accuracy: {dataloader: " + loader("[40, 2]", 4) + "}}");
  const auto [loaded, warnings] = calibration_loader(config);
  EXPECT_EQ(loaded.size(), 40u);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("calibrating with the evaluation data")));
}

TEST(CalibrationLoader, TakesItsOwnDataWithoutAWarning) {
  const Config config = config_of("model: {name: n}\nquantization: {calibration: {dataloader: " + loader("[10, 2]", 4) +
                                  "}}\nevaluation: {accuracy: {dataloader: " + loader("[40, 2]", 4) + "}}");
  const auto [loaded, warnings] = calibration_loader(config);
  EXPECT_EQ(loaded.size(), 10u);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(EvaluationData, IsNotADataloaderWithoutADataSet) {
  Config config;
  config.accuracy.loader = LoaderConfig{.batch_size = 4};
  EXPECT_FALSE(has_evaluation_data(config));
  const auto user = std::make_shared<MemoryData>(unlabelled({Tensor::scalar(1.0f)}));
  EXPECT_TRUE(has_evaluation_data(config, {.evaluation_data = user}));
  EXPECT_TRUE(has_evaluation_data(
      config_of("model: {name: n}\nevaluation: {accuracy: {dataloader: " + loader("[40, 2]", 4) + "}}")));
}

TEST(CalibrationLoader, WithoutAnyDataItSaysWhichKeysToSet) {
  EXPECT_THAT(message_of<ConfigError>([&] { calibration_loader(config_of("model: {name: n}")); }),
              AllOf(HasSubstr("quantization.calibration.dataloader"), HasSubstr("evaluation.accuracy.dataloader")));
  EXPECT_THAT(message_of<ConfigError>([&] { evaluation_loader(config_of("model: {name: n}")); }),
              HasSubstr("evaluation.accuracy.dataloader"));
}

TEST(UserComponents, IsReadAsTheConfigsLoaderSays) {
  const Config config =
      config_of("model: {name: n}\nquantization: {calibration: {dataloader: " + loader("[10, 2]", 4) +
                "}}\nevaluation: {accuracy: {iteration: 2, dataloader: " + loader("[40, 2]", 4) + "}}");
  const auto user = std::make_shared<MemoryData>(unlabelled(std::vector<Tensor>(20, Tensor::scalar(1.0f))));
  EXPECT_EQ(evaluation_loader(config, {.evaluation_data = user}).size(), 8u);
  EXPECT_EQ(evaluation_loader(config, {.evaluation_data = user}).identity().substr(0, 6), "memory");
  EXPECT_EQ(calibration_loader(config, {.calibration_data = user}).value.options().batch_size, 4u);
  EXPECT_EQ(calibration_loader(config, {.calibration_data = user}).value.size(), 20u);
  const auto [loaded, warnings] = calibration_loader(config, {.evaluation_data = user});
  EXPECT_EQ(loaded.size(), 10u);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(UserComponents, CalibratesWithTheEvaluationsWithAWarningWhenThereIsNoOther) {
  const auto user = std::make_shared<MemoryData>(unlabelled({Tensor::scalar(1.0f)}));
  const auto [loaded, warnings] = calibration_loader({}, {.evaluation_data = user});
  EXPECT_EQ(loaded.size(), 1u);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("calibrating with the evaluation data")));
}

TEST(EvaluationLoader, ReadsSoManyBatchesAsIterationSays) {
  const std::string head = "model: {name: n}\nevaluation: {accuracy: {dataloader: " + loader("[42, 2]", 4);
  EXPECT_EQ(evaluation_loader(config_of(head + "}}")).size(), 42u);
  EXPECT_EQ(evaluation_loader(config_of(head + ", iteration: 3}}")).size(), 12u);
  EXPECT_EQ(evaluation_loader(config_of(head + ", iteration: 300}}")).size(), 42u);
}

TEST(LoadConfiguredModel, RefusesAFrameworkThatTheFileIsNotOf) {
  EXPECT_THAT(message_of<ConfigError>(
                  [] { load_configured_model(config_of("model: {name: n, framework: tensorflow}"), kFashionModel); }),
              AllOf(HasSubstr("model.framework is tensorflow"), HasSubstr("fashion_cnn.onnx is a model of onnx"),
                    HasSubstr("expected a model of tensorflow, tflite, openvino")));
  for (const char* framework : {"onnx", "auto", "pytorch", "onnxrt_qlinearops"})
    EXPECT_NO_THROW(
        load_configured_model(config_of(std::string("model: {name: n, framework: ") + framework + "}"), kFashionModel));
}

TEST(LoadConfiguredModel, WithoutAFileItNamesTheOption) {
  EXPECT_THAT(message_of<ConfigError>([] { load_configured_model({}, ""); }), HasSubstr("--model FILE"));
}

TEST(HalfRange, IsWhatTheConfigSaysElseWhatTheCpuNeeds) {
  Config config;
  const Cpu plain{.name = "old", .avx2 = true}, vnni{.name = "new", .avx2 = true, .vnni = true};
  EXPECT_TRUE(use_half_range(config, plain));
  EXPECT_FALSE(use_half_range(config, vnni));
  config.quantization.recipes.half_range = true;
  EXPECT_TRUE(use_half_range(config, vnni));
  config.quantization.recipes.half_range = false;
  EXPECT_FALSE(use_half_range(config, plain));
}

TEST(ComponentTables, HoldEveryRegistry) {
  const ComponentTables& tables = component_tables();
  EXPECT_NE(find(tables.datasets, "FashionMNIST"), nullptr);
  EXPECT_NE(find(tables.transforms, "ToTensor"), nullptr);
  EXPECT_NE(find(tables.metrics, "Agreement"), nullptr);
  EXPECT_NE(find(tables.strategies, "basic"), nullptr);
  EXPECT_NE(find(tables.postprocesses, "LabelShift"), nullptr);
}

TEST(Examples, ConfigurationsAreReadAndNameOneAnothersParts) {
  const std::string folder = LPOT_SOURCE_DIR "/examples/";
  const Config glue = load_config({folder + "onnx/glue/mrpc.yaml"}, {}, component_tables());
  EXPECT_TRUE(glue.warnings.empty());
  EXPECT_EQ(glue.accuracy.loader->dataset.parameters.text("task"), glue.accuracy.metrics[0].parameters.text("task"));
  const Config squad = load_config({folder + "tensorflow/squad/bert.yaml", folder + "tensorflow/squad/squad.yaml"}, {},
                                   component_tables());
  EXPECT_TRUE(squad.warnings.empty());
  EXPECT_EQ(squad.quantization.sampling_sizes, std::vector<std::size_t>{500});
  EXPECT_EQ(squad.accuracy.metrics[0].name, "SquadF1");
  EXPECT_EQ(squad.accuracy.postprocess.at(0).parameters.integer("max_seq_length"),
            squad.accuracy.loader->dataset.parameters.integer("max_seq_length"));
}

}  // namespace
}  // namespace lpot
