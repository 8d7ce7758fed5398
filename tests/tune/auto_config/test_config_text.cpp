#include "lpot/tune/auto_config/config_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/core/error.h"
#include "lpot/tune/auto_config/array_match.h"
#include "lpot/tune/setup.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;

NpyArray array(const std::string& name, Shape shape, ElementType type = ElementType::F32) {
  return {name, type, std::move(shape)};
}

const Port kImage{"image", "f32", {-1, 3, 8, 8}};
const Port kIds{"ids", "i64", {-1, -1}};

TEST(MatchArrays, FindsInputsByNameAndLabelsByWord) {
  const ArrayData data = match_arrays(
      {array("ids.npy", {9, 4}, ElementType::I64), array("image.npy", {9, 3, 8, 8}), array("labels.npy", {9})},
      {kImage, kIds});
  EXPECT_EQ(data.evaluation, "npy: {inputs: {\"image\": \"image.npy\", \"ids\": \"ids.npy\"}, labels: \"labels.npy\"}");
  EXPECT_EQ(data.calibration, "");
  EXPECT_TRUE(data.has_labels);
}

TEST(MatchArrays, FindsInputsByShapeAndType) {
  const ArrayData data =
      match_arrays({array("a.npy", {9, 4}, ElementType::I32), array("b.npy", {9, 3, 8, 8})}, {kImage, kIds});
  EXPECT_EQ(data.evaluation, "npy: {inputs: {\"image\": \"b.npy\", \"ids\": \"a.npy\"}}");
  EXPECT_FALSE(data.has_labels);
}

TEST(MatchArrays, DividesTrainingAndTestFiles) {
  const ArrayData data = match_arrays({array("x_test.npy", {9, 3, 8, 8}), array("x_train.npy", {9, 3, 8, 8}),
                                       array("y_test.npy", {9}), array("y_train.npy", {9})},
                                      {kImage});
  EXPECT_EQ(data.evaluation, "npy: {inputs: {\"image\": \"x_test.npy\"}, labels: \"y_test.npy\"}");
  EXPECT_EQ(data.calibration, "npy: {inputs: {\"image\": \"x_train.npy\"}, labels: \"y_train.npy\"}");
}

TEST(MatchArrays, PrefersTheInputWithTheLongestName) {
  const Port tokens{"token_ids:0", "i64", {-1, -1}};
  const ArrayData data = match_arrays(
      {array("ids.npy", {9, 4}, ElementType::I64), array("token_ids.npy", {9, 4}, ElementType::I64)}, {kIds, tokens});
  EXPECT_EQ(data.evaluation, "npy: {inputs: {\"ids\": \"ids.npy\", \"token_ids:0\": \"token_ids.npy\"}}");
}

TEST(MatchArrays, NamesNeedTheShapeToo) {
  const ArrayData data =
      match_arrays({array("image_ids.npy", {9, 4}, ElementType::I64), array("x.npy", {9, 3, 8, 8})}, {kImage, kIds});
  EXPECT_EQ(data.evaluation, "npy: {inputs: {\"image\": \"x.npy\", \"ids\": \"image_ids.npy\"}}");
}

TEST(MatchArrays, RefusesFilesThatOnlyTheirShapeShows) {
  const Port left{"left", "f32", {-1, 8}}, right{"right", "f32", {-1, 8}};
  EXPECT_THAT(message_of<DataError>([&] {
                match_arrays({array("a.npy", {9, 8}), array("b.npy", {9, 8})}, {left, right});
              }),
              HasSubstr("Name each file after its input"));
  EXPECT_EQ(match_arrays({array("a.npy", {9, 8}), array("my_left.npy", {9, 8})}, {left, right}).evaluation,
            "npy: {inputs: {\"left\": \"my_left.npy\", \"right\": \"a.npy\"}}")
      << "the other one is named";
}

TEST(MatchArrays, TakesInputsAndLabelsOfOnePart) {
  const ArrayData data = match_arrays({array("x_test.npy", {9, 3, 8, 8}), array("x_val.npy", {5, 3, 8, 8}),
                                       array("y_test.npy", {9}), array("y_val.npy", {5})},
                                      {kImage});
  EXPECT_EQ(data.evaluation, "npy: {inputs: {\"image\": \"x_test.npy\"}, labels: \"y_test.npy\"}");
}

TEST(MatchArrays, ListsFilesAndInputsThatDoNotFit) {
  EXPECT_THAT(message_of<DataError>([] {
                match_arrays({array("a.npy", {9, 4}), array("b.npy", {9, 5})}, {kImage});
              }),
              AllOf(HasSubstr("found a.npy f32 [9,4], b.npy f32 [9,5]"), HasSubstr("for each of image f32 [?,3,8,8]")));
}

OutputRole role_of(OutputRoleKind kind, double share_above = 0.5) {
  OutputRole role;
  role.kind = kind;
  role.class_axis = "first";
  role.share_above = share_above;
  return role;
}

std::string metric_for(OutputRoleKind kind, double share_above = 0.5) {
  const MetricText metric = choose_metric(role_of(kind, share_above), {false, 0.02, 4});
  const bool is_mse = metric.metric.starts_with("MSE");
  EXPECT_EQ(metric.criterion, (Criterion{.relative = !is_mse, .tolerance = is_mse ? 0.08 : 0.02}));
  EXPECT_NO_THROW(make_metric(parse_component(metric.metric, metrics()))) << metric.metric;
  return metric.metric;
}

TEST(ChooseMetric, DependsOnLabelsAndOutputs) {
  using enum OutputRoleKind;
  EXPECT_EQ(choose_metric(role_of(Classes), {true, 0.01, 4}).metric, "topk: 1");
  EXPECT_EQ(choose_metric(role_of(Classes), {true, 0.01, 4}).criterion, (Criterion{.tolerance = 0.01}));
  EXPECT_EQ(choose_metric(role_of(Values), {true, 0.01, 4}).criterion,
            (Criterion{.relative = false, .tolerance = 0.04}));
  EXPECT_EQ(metric_for(Classes), "Agreement: {}");
  EXPECT_EQ(metric_for(Embedding), "Cosine: {}");
  EXPECT_EQ(metric_for(Map), "PixelAgreement: {class_axis: first}");
  EXPECT_EQ(metric_for(Steps), "PixelAgreement: {class_axis: first}");
  EXPECT_EQ(metric_for(Mask), "PixelAgreement: {class_axis: first, threshold: 0.5}");
  EXPECT_EQ(metric_for(Mask, 0.05), "mIOU: {num_classes: 2, threshold: 0.5, compare_label: false}");
  EXPECT_EQ(metric_for(Labels), "PixelAgreement: {class_axis: first, threshold: 0.5}");
  EXPECT_EQ(metric_for(Labels, 0.95), "mIOU: {num_classes: 2, threshold: 0.5, compare_label: false}");
  OutputRole pairs = role_of(Labels, 0.05);
  pairs.has_two_channels = true;
  EXPECT_THAT(choose_metric(pairs, {}).metric, HasSubstr("PixelAgreement")) << "mIOU would read two classes";
  EXPECT_EQ(metric_for(Decision), "PixelAgreement: {class_axis: none, threshold: 0.5}");
  EXPECT_EQ(choose_metric(role_of(Decision), {.has_labels = true}).metric, "Accuracy: {}");
  EXPECT_EQ(metric_for(ClassIndex), "PixelAgreement: {class_axis: none}");
  EXPECT_EQ(metric_for(Values), "MSE: {compare_label: false}");
}

TEST(CalibrationShare, LeavesMostSamplesForEvaluation) {
  EXPECT_NEAR(*calibration_share(50000), 0.006, 1e-9);
  EXPECT_NEAR(*calibration_share(500), 0.2, 1e-9);
  EXPECT_NEAR(*calibration_share(50), 0.32, 1e-9);
  EXPECT_NEAR(*calibration_share(9), 0.3334, 1e-9);
  EXPECT_FALSE(calibration_share(5));
}

TEST(ConfigTexts, AreValidConfigurations) {
  ConfigText text{.comments = {"found"}, .model_name = "my \"net\"", .framework = "onnx"};
  text.calibration = {
      {"ImageFolder: {root: \"/a b\"}", {"Resize: {size: 256}", "ToTensor: {}"}}, 10, true, Subset{0, 0.2}};
  text.evaluation = {{"ImageFolder: {root: \"/a b\"}", {"ToTensor: {}"}}, 32, false, Subset{0.2, 1}};
  text.calibration_samples = 300;
  text.metric = {"topk: 1", {.tolerance = 0.02}, "meaning", "LabelShift: -1"};
  const Config config = load_config_text(to_yaml(text), "conf.yaml", component_tables());
  EXPECT_EQ(config.model.name, "my \"net\"");
  EXPECT_EQ(config.quantization.sampling_sizes, std::vector<std::size_t>{300});
  EXPECT_EQ(config.quantization.calibration->transforms.size(), 2u);
  EXPECT_EQ(config.quantization.calibration->subset, (Subset{0, 0.2}));
  EXPECT_TRUE(config.quantization.calibration->shuffle);
  EXPECT_EQ(config.accuracy.loader->dataset.parameters.text("root"), "/a b");
  EXPECT_EQ(config.accuracy.postprocess.at(0).name, "LabelShift");
  EXPECT_EQ(config.tuning.criterion.tolerance, 0.02);
  EXPECT_EQ(config.tuning.strategy.name, "auto");
}

}  // namespace
}  // namespace lpot
