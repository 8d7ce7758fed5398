// The share of points (pixels of a segmentation, steps of a sequence) with the same class as the fp32 model, as the
// mean over samples. Needs no labels. maps.h describes the outputs. Points with NaN never agree.
//
// Models with one row of scores per token may pad a sample to another length when it is in another batch. Then the
// steps that both outputs have are compared.
#include <fmt/format.h>

#include <algorithm>

#include "lpot/metrics/kinds.h"
#include "lpot/metrics/maps.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"
#include "lpot/metrics/sum.h"

namespace lpot {
namespace {

constexpr std::string_view kName = "PixelAgreement";

// The share of equal classes among the points that both have.
double share_equal(const Tensor& classes, const Tensor& expected) {
  const std::size_t common = std::min(classes.size(), expected.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < common; ++i) {
    const double value = classes.value_at(i);
    equal += value >= 0 && value == expected.value_at(i);
  }
  return static_cast<double>(equal) / static_cast<double>(common);
}

// Whether the points are equal, or only the first axis differs, which are the steps of a sequence.
bool have_common_steps(const Shape& points, const Shape& expected) {
  return points.size() == expected.size() &&
         (points.empty() || std::equal(points.begin() + 1, points.end(), expected.begin() + 1));
}

class PixelAgreement : public Metric {
 public:
  explicit PixelAgreement(MapOptions options) : options_(options) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const auto samples = sample_scores(outputs, labels);
    Sum batch;
    for (const SampleScore& sample : *samples) batch.add(sample.value);
    sum_.add(batch);
    count_ += samples->size();
  }

  std::optional<std::vector<SampleScore>> sample_scores(const std::vector<Tensor>& outputs,
                                                        const std::vector<Tensor>& labels) const override {
    check_first_output(outputs, labels.size(), kName);
    std::vector<SampleScore> samples;
    if (options_.axis == ClassAxis::Auto) check_map(outputs, kName);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Tensor classes = point_classes(outputs[0].slice(i), options_, kName);
      const Tensor expected = expected_classes(labels[i], classes.shape(), i);
      samples.push_back({share_equal(classes, expected)});
    }
    return samples;
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<PixelAgreement>(other, kName);
    if (same.options_ != options_) throw Error(kName, "cannot be merged with other class_axis or threshold");
    sum_.add(same.sum_);
    count_ += same.count_;
  }

  double result() const override {
    if (count_ == 0) throw DataError(kName, "no samples were evaluated; check that the data set is not empty");
    return static_cast<double>(sum_.value() / static_cast<long double>(count_));
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<PixelAgreement>(options_); }
  bool labels_are_baseline() const override { return true; }
  Tensor baseline_label(const std::vector<Tensor>& outputs, std::size_t row) const override {
    if (options_.axis == ClassAxis::Auto) check_map(outputs, kName);
    return point_classes(outputs.at(0).slice(row), options_, kName);
  }

 private:
  // The fp32 classes are given as classes, which are integers (baseline_label), or as the output of the fp32 model.
  Tensor expected_classes(const Tensor& label, const Shape& points, std::size_t sample) const {
    const bool has_classes = label.empty() || is_integer_type(label.element_type());
    const Tensor classes = has_classes ? label : point_classes(label, options_, kName);
    if (label.empty() || classes.size() == 0 || !have_common_steps(points, classes.shape()))
      throw DataError(kName, fmt::format("the fp32 output for sample {} of the batch {}, expected {}", sample,
                                         label.empty() ? "is missing" : "has the points " + to_string(classes.shape()),
                                         to_string(points)));
    return classes;
  }

  MapOptions options_;
  Sum sum_;
  std::size_t count_ = 0;
};

}  // namespace

MetricKind pixel_agreement_metric() {
  return {{.name = std::string(kName),
           .summary = "share of pixels of a segmentation, or of steps of a sequence, with the same class as the fp32 "
                      "model; needs no labels",
           .parameters = map_parameters()},
          [](const Component& component) -> std::unique_ptr<Metric> {
            return std::make_unique<PixelAgreement>(map_options(component));
          }};
}

}  // namespace lpot
