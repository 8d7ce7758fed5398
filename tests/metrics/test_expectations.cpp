// Compares the metrics with scikit-learn, scipy and pycocotools on the tables of make_expectations.py.
#include <fstream>
#include <sstream>

#include "lpot/metrics/correlation.h"
#include "support.h"

namespace lpot {
namespace {

constexpr double kTolerance = 1e-12;

std::vector<std::istringstream> lines_of(const std::string& name) {
  std::ifstream file(LPOT_SOURCE_DIR "/tests/metrics/expected/" + name);
  std::vector<std::istringstream> lines;
  for (std::string line; std::getline(file, line);) lines.emplace_back(line);
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

double next(std::istringstream& line) {
  double value = 0;
  EXPECT_TRUE(line >> value);
  return value;
}

template <typename T>
std::vector<T> next(std::istringstream& line, std::size_t count) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(next(line)));
  return values;
}

double fed(std::unique_ptr<Metric> metric, const Tensor& output, const std::vector<Tensor>& labels) {
  metric->update({output}, labels);
  return metric->result();
}

TEST(Expectations, OfClassification) {
  for (std::istringstream& line : lines_of("classification.txt")) {
    const auto classes = static_cast<std::int64_t>(next(line));
    const auto count = static_cast<std::size_t>(next(line));
    const auto expected = next<double>(line, 5);
    const Tensor answers = Tensor::from<std::int64_t>({count}, next<std::int64_t>(line, count));
    const std::vector<std::int64_t> numbers = next<std::int64_t>(line, count);
    const std::vector<Tensor> labels = scalars(numbers);
    EXPECT_NEAR(fed(metric("Accuracy"), answers, labels), expected[0], kTolerance);
    EXPECT_NEAR(fed(glue("mrpc"), answers, labels), expected[0], kTolerance);
    if (classes == 2) {
      EXPECT_NEAR(fed(f1(), answers, labels), expected[1], kTolerance);
      EXPECT_NEAR(fed(glue("mrpc", "f1"), answers, labels), expected[1], kTolerance);
      EXPECT_NEAR(fed(glue("qqp", "acc_and_f1"), answers, labels), (expected[0] + expected[1]) / 2, kTolerance);
    }
    EXPECT_NEAR(fed(glue("rte", "mcc"), answers, labels), expected[3], kTolerance);
    EXPECT_NEAR(fed(f1("macro"), answers, labels), expected[2], kTolerance);
    EXPECT_NEAR(fed(glue("cola"), answers, labels), expected[3], kTolerance);
    EXPECT_NEAR(fed(miou(classes), answers.reshaped({1, count}), {Tensor::from<std::int64_t>({count}, numbers)}),
                expected[4], kTolerance);
  }
}

TEST(Expectations, OfRegression) {
  for (std::istringstream& line : lines_of("regression.txt")) {
    const auto count = static_cast<std::size_t>(next(line));
    const auto expected = next<double>(line, 5);
    const std::vector<double> outputs = next<double>(line, count), labels = next<double>(line, count);
    const Tensor output = Tensor::from<double>({count, 1}, outputs);
    std::vector<Tensor> label;
    Pairs pairs;
    for (std::size_t i = 0; i < count; ++i) {
      label.push_back(Tensor::scalar(labels[i]));
      pairs.emplace_back(outputs[i], labels[i]);
    }
    EXPECT_NEAR(fed(mse(), output, label), expected[0], kTolerance * expected[0]);
    EXPECT_NEAR(fed(rmse(), output, label), expected[1], kTolerance * expected[1]);
    EXPECT_NEAR(fed(mae(), output, label), expected[2], kTolerance * expected[2]);
    EXPECT_NEAR(pearson(pairs), expected[3], kTolerance);
    EXPECT_NEAR(spearman(pairs), expected[4], kTolerance);
    EXPECT_NEAR(fed(glue("sts-b", "pearson"), output, label), expected[3], kTolerance);
    EXPECT_NEAR(fed(glue("sts-b", "spearmanr"), output, label), expected[4], kTolerance);
    EXPECT_NEAR(fed(glue("sts-b"), output, label), (expected[3] + expected[4]) / 2, kTolerance);
  }
}

TEST(Expectations, OfSegmentation) {
  for (std::istringstream& line : lines_of("segmentation.txt")) {
    const auto classes = static_cast<std::size_t>(next(line));
    const auto height = static_cast<std::size_t>(next(line)), width = static_cast<std::size_t>(next(line));
    const auto expected = next<double>(line, 2);
    const std::size_t count = classes * height * width;
    const Tensor scores = Tensor::from<double>({1, classes, height, width}, next<double>(line, count));
    const Tensor of_fp32 = Tensor::from<double>({classes, height, width}, next<double>(line, count));
    const bool is_single = classes == 1;
    const auto agreement = metric("PixelAgreement", {{"class_axis", std::string("first")}, {"threshold", 0.5}});
    EXPECT_NEAR(fed(agreement->fresh(), scores, {of_fp32}), expected[0], kTolerance);
    EXPECT_NEAR(fed(agreement->fresh(), scores, {agreement->baseline_label({stack({of_fp32})}, 0)}), expected[0],
                kTolerance);
    std::map<std::string, Value> values{{"num_classes", static_cast<std::int64_t>(is_single ? 2 : classes)},
                                        {"compare_label", false}};
    if (is_single) values["threshold"] = 0.5;
    EXPECT_NEAR(fed(metric("mIOU", values), scores, {of_fp32}), expected[1], kTolerance);
  }
}

TEST(Expectations, OfEmbeddings) {
  for (std::istringstream& line : lines_of("embeddings.txt")) {
    const auto count = static_cast<std::size_t>(next(line)), size = static_cast<std::size_t>(next(line));
    const auto k = static_cast<std::int64_t>(next(line));
    const auto expected = next<double>(line, 5);
    const Tensor rows = Tensor::from<double>({count, size}, next<double>(line, count * size));
    const Tensor of_fp32 = Tensor::from<double>({count, size}, next<double>(line, count * size));
    const std::vector<Tensor> classes = scalars(next<std::int64_t>(line, count));
    std::vector<Tensor> baseline, pairs;
    for (std::size_t i = 0; i < count; ++i) baseline.push_back(of_fp32.slice(i));
    for (std::size_t i = 0; i < count / 2; ++i)
      pairs.resize(pairs.size() + 2, Tensor::from<double>({2}, {static_cast<double>(i), next(line)}));
    const auto recall = [&](bool compare_label) {
      return metric("RecallAtK", {{"k", k}, {"compare_label", compare_label}});
    };
    EXPECT_NEAR(fed(metric("Cosine"), rows, baseline), expected[0], kTolerance);
    EXPECT_NEAR(fed(recall(true), rows, classes), expected[1], kTolerance);
    EXPECT_NEAR(fed(recall(false), rows, baseline), expected[2], kTolerance);
    EXPECT_NEAR(fed(sts("spearman"), rows, pairs), expected[3], kTolerance);
    EXPECT_NEAR(fed(sts("pearson"), rows, pairs), expected[4], kTolerance);
    EXPECT_NEAR(fed(sts("corr"), rows, pairs), (expected[3] + expected[4]) / 2, kTolerance);
  }
}

struct Detected {
  std::vector<Tensor> outputs;
  Tensor label;
};

Detected next_image(std::istringstream*& line) {
  std::string word;
  *line >> word;
  const auto objects = static_cast<std::size_t>(next(*line)), count = static_cast<std::size_t>(next(*line));
  std::vector<float> truths, boxes, scores, classes;
  for (std::size_t i = 0; i < objects; ++i)
    for (const float value : next<float>(*++line, 7)) truths.push_back(value);
  for (std::size_t i = 0; i < count; ++i) {
    const auto values = next<float>(*++line, 6);
    boxes.insert(boxes.end(), values.begin(), values.begin() + 4);
    classes.push_back(values[4]);
    scores.push_back(values[5]);
  }
  ++line;
  return {{Tensor::from<float>({1, count, 4}, boxes), Tensor::from<float>({1, count}, scores),
           Tensor::from<float>({1, count}, classes)},
          Tensor::from<float>({objects, 7}, truths)};
}

TEST(Expectations, OfDetection) {
  std::vector<std::istringstream> lines = lines_of("detection.txt");
  for (std::istringstream* line = lines.data(); line != lines.data() + lines.size();) {
    std::string word;
    *line >> word;
    const auto images = static_cast<std::size_t>(next(*line));
    const auto expected = next<double>(*line, 4);
    std::vector<std::unique_ptr<Metric>> metrics;
    metrics.push_back(detection("COCOmAP", "0.5:0.05:0.95", 101));
    metrics.push_back(detection("COCOmAP", "0.5", 101));
    metrics.push_back(detection("mAP", "0.75", 11));
    metrics.push_back(detection("mAP", "0.5", 0));
    ++line;
    for (std::size_t i = 0; i < images; ++i) {
      const Detected image = next_image(line);
      for (const auto& each : metrics) each->update(image.outputs, {image.label});
    }
    for (std::size_t i = 0; i < metrics.size(); ++i)
      EXPECT_NEAR(metrics[i]->result(), expected[i], kTolerance) << images << " images, value " << i;
  }
}

}  // namespace
}  // namespace lpot
