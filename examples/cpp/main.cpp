// Tunes the quick start's network with user-defined data and a user-defined metric, without a YAML file.
//
//   worst_class ../quickstart/fashion_cnn.onnx int8
#include <lpot/lpot.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace {

// Fashion-MNIST: 28 x 28 pixels behind a head of 16 bytes, one label of a byte each behind 8.
class Clothes : public lpot::Dataset {
 public:
  explicit Clothes(const std::string& part)
      : images_(lpot::read_file("/usr/share/datasets/fashion-mnist/" + part + "-images-idx3-ubyte.gz")),
        labels_(lpot::read_file("/usr/share/datasets/fashion-mnist/" + part + "-labels-idx1-ubyte.gz")) {}

  std::size_t size() const override { return labels_.size() - 8; }

  lpot::Sample at(std::size_t index) const override {
    lpot::Tensor image(lpot::ElementType::F32, {1, 28, 28});
    const std::uint8_t* pixels = images_.data() + 16 + index * image.size();
    std::transform(pixels, pixels + image.size(), image.data<float>(),
                   [](std::uint8_t pixel) { return (static_cast<float>(pixel) / 255 - 0.2860f) / 0.3530f; });
    return {{image}, lpot::Tensor::scalar<std::int64_t>(labels_.at(8 + index))};
  }

 private:
  std::vector<std::uint8_t> images_, labels_;
};

// The share of right answers in the class that has the fewest: an average hides a class that int8 has lost.
class WorstClass : public lpot::Metric {
 public:
  void update(const std::vector<lpot::Tensor>& outputs, const std::vector<lpot::Tensor>& labels) override {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const lpot::Tensor row = outputs[0].slice(i);
      const float* scores = row.data<float>();
      const auto label = static_cast<std::size_t>(*labels[i].data<std::int64_t>());
      seen_.at(label) += 1;
      right_.at(label) += std::max_element(scores, scores + row.size()) == scores + label;
    }
  }
  void merge(const lpot::Metric& other) override {
    const auto& same = dynamic_cast<const WorstClass&>(other);
    for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] += same.seen_[i], right_[i] += same.right_[i];
  }
  double result() const override {
    double worst = 1;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (seen_[i] > 0) worst = std::min(worst, right_[i] / seen_[i]);
    return worst;
  }
  std::unique_ptr<lpot::Metric> fresh() const override { return std::make_unique<WorstClass>(); }

 private:
  std::array<double, 10> seen_{}, right_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: worst_class MODEL OUTPUT_FOLDER\n";
    return 2;
  }
  try {
    lpot::Config config;  // or lpot::load_config({"conf.yaml"})
    config.model.name = "worst_class";
    config.quantization.sampling_sizes = {300};
    config.accuracy.loader = lpot::LoaderConfig{.batch_size = 32};
    config.accuracy.metrics = {lpot::parse_component("topk: 1", lpot::metrics())};
    config.tuning.criterion = {.relative = false, .tolerance = 0.02};

    const lpot::TuneResult result =
        lpot::tune(config, {.model = argv[1],
                            .output = argv[2],
                            .user = {.calibration_data = std::make_shared<Clothes>("train"),
                                     .evaluation_data = std::make_shared<Clothes>("t10k"),
                                     .metrics = {{"worst class", std::make_shared<WorstClass>()}}}});
    if (!result.best) throw lpot::Error("worst_class", "every trial failed");
    for (std::size_t i = 0; i < result.baseline.metrics.size(); ++i)
      std::cout << result.baseline.metrics[i].first << ": fp32 " << result.baseline.metrics[i].second << ", int8 "
                << result.best->result->metrics[i].second << "\n";
    std::cout << "goal: " << result.goal.describe() << (result.goal_met ? ", met" : ", not met") << "\n"
              << "saved: " << result.model.string() << "\n";
    return result.goal_met ? 0 : 3;
  } catch (const lpot::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
