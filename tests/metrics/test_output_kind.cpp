#include "lpot/metrics/output_kind.h"

#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

OutputKind kind(const std::vector<std::vector<std::int64_t>>& shapes, bool reads_images = true) {
  std::vector<OutputShape> outputs;
  for (const auto& shape : shapes) outputs.push_back({shape});
  return kind_of_outputs(outputs, reads_images);
}

TEST(OutputKind, KnowsScoresOfClasses) {
  EXPECT_EQ(kind({{-1, 1000}}), OutputKind::Classes);
  EXPECT_EQ(kind({{8, 1000, 1, 1}}), OutputKind::Classes);
  EXPECT_EQ(kind({{1, 1, 384}, {1, 12, 5}}), OutputKind::Classes);
  EXPECT_EQ(kind({{8}}), OutputKind::Number);
  EXPECT_EQ(kind({{8, 1}}), OutputKind::Number);
}

TEST(OutputKind, KnowsHeadsOfDetectors) {
  EXPECT_EQ(kind({{-1, 22, -1}}), OutputKind::BoxHead);                 // YOLOv8 with dynamic sizes
  EXPECT_EQ(kind({{4, 84, 8400}}), OutputKind::BoxHead);                // YOLOv8
  EXPECT_EQ(kind({{1, 25200, 85}}), OutputKind::BoxHead);               // YOLOv5
  EXPECT_EQ(kind({{1, 3549, 85}}), OutputKind::BoxHead);                // YOLOX
  EXPECT_EQ(kind({{1, 7, 189}}), OutputKind::BoxHead);                  // YOLOv8 of 96 x 96 pixels
  EXPECT_EQ(kind({{1, 2535, 85}}), OutputKind::BoxHead);                // two strides
  EXPECT_EQ(kind({{1, 300, 6}}), OutputKind::BoxHead);                  // end to end
  EXPECT_EQ(kind({{1, 1, 200, 7}}), OutputKind::BoxHead);               // DetectionOutput
  EXPECT_EQ(kind({{1, 8732, 4}, {1, 8732, 21}}), OutputKind::BoxHead);  // SSD
  EXPECT_EQ(kind({{1, 8732, 21}, {1, 8732, 4}}), OutputKind::BoxHead);
}

TEST(OutputKind, KnowsDetectionsAfterNms) {
  EXPECT_EQ(kind({{1, 100, 4}, {1, 100}, {1, 100}, {1}}), OutputKind::Detections);
  EXPECT_EQ(kind({{1, 100}, {1, -1, 4}, {1, 100}}), OutputKind::Detections);
  EXPECT_EQ(kind({{1, 100, 5}, {1, 100}}), OutputKind::Detections);  // mmdeploy
  EXPECT_EQ(kind({{-1}, {-1, -1, 4}, {-1, -1}, {-1, -1}}), OutputKind::Detections);
}

TEST(OutputKind, TellsTokensAndPixelsFromBoxes) {
  EXPECT_EQ(kind({{-1, -1, 97}}), OutputKind::Rows);
  EXPECT_EQ(kind({{8, 128, 30522}}), OutputKind::Rows);
  EXPECT_EQ(kind({{8, 105, 40}}), OutputKind::Rows);
  EXPECT_EQ(kind({{8, 128, 6}}, false), OutputKind::Rows);
  EXPECT_EQ(kind({{1, 21, 512, 512}}), OutputKind::Map);
  EXPECT_EQ(kind({{1, 1, 640, 640}}), OutputKind::Map);
}

TEST(OutputKind, EveryKindNamesItsMetrics) {
  for (const OutputKind kind : {OutputKind::Classes, OutputKind::Number, OutputKind::Detections, OutputKind::BoxHead,
                                OutputKind::Map, OutputKind::Rows, OutputKind::Other}) {
    EXPECT_FALSE(describe(kind).empty());
    EXPECT_FALSE(fitting_metrics(kind).empty());
  }
}

TEST(OutputKind, MetricsOfClassesRefuseADetector) {
  const std::vector<Tensor> outputs{Tensor(ElementType::F32, {1, 22, 2100})};
  for (const char* name : {"Agreement", "Accuracy", "topk", "F1"}) {
    const auto refused = name == std::string("topk") ? topk(1) : name == std::string("F1") ? f1() : metric(name);
    EXPECT_THAT(data_error_of([&] { refused->update(outputs, {outputs[0].slice(0)}); }),
                AllOf(HasSubstr(name), HasSubstr("[1,22,2100]"), HasSubstr("BoxAgreement")));
  }
}

TEST(OutputKind, MetricsOfClassesRefuseTheScoresOfDetections) {
  const std::vector<Tensor> outputs{Tensor(ElementType::F32, {1, 100}), Tensor(ElementType::F32, {1, 100, 4}),
                                    Tensor(ElementType::F32, {1, 100}), Tensor(ElementType::F32, {1})};
  EXPECT_THAT(data_error_of([&] { metric("Agreement")->update(outputs, {outputs[0].slice(0)}); }),
              HasSubstr("COCOmAP"));
}

TEST(OutputKind, MetricsOfEmbeddingsRefuseOtherOutputs) {
  const std::vector<Tensor> tokens{Tensor(ElementType::F32, {1, 12, 384})}, map{Tensor(ElementType::F32, {1, 2, 8, 8})};
  EXPECT_THAT(data_error_of([&] {
                sts("spearman")->update(tokens, {Tensor::from<double>({2}, {0, 1})});
              }),
              AllOf(HasSubstr("[1,12,384]; expected embeddings"), HasSubstr("Cosine for embeddings of tokens")));
  EXPECT_THAT(data_error_of([&] { recall_at(1)->update(map, {Tensor::scalar<std::int64_t>(0)}); }),
              AllOf(HasSubstr("[RecallAtK]"), HasSubstr("PixelAgreement")));
  EXPECT_THAT(data_error_of([&] {
                recall_at(1)->update({Tensor(ElementType::F32, {1, 1})}, {Tensor()});
              }),
              HasSubstr("one value per sample"));
}

TEST(OutputKind, MetricsOfMapsRefuseOtherOutputs) {
  const std::vector<Tensor> classes{Tensor(ElementType::F32, {1, 10})}, boxes{Tensor(ElementType::F32, {1, 22, 2100})};
  const auto error_of = [](const std::vector<Tensor>& outputs) {
    return data_error_of([&] { pixel_agreement()->update(outputs, {outputs[0].slice(0)}); });
  };
  EXPECT_THAT(error_of(classes), AllOf(HasSubstr("expected a map of scores"), HasSubstr("Agreement without")));
  EXPECT_THAT(error_of(boxes), HasSubstr("BoxAgreement"));
  EXPECT_THROW(pixel_agreement()->baseline_label(classes, 0), DataError);
}

}  // namespace
}  // namespace lpot
