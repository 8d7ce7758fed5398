// Mean intersection over union of the classes of a segmentation, against labels or against the fp32 model.
//
// The first output contains classes (as many values as the label) or scores. With a threshold and two classes, it may
// also contain one score per point: class 1 above the threshold, else class 0. The class axis of scores is the first,
// [count,classes,height,width], or the last, [count,height,width,classes]; of equal scores, the lower class is used.
// Points with a label outside of 0..num_classes-1 (255 for "void") are ignored, as in LPOT. A class that is neither
// predicted nor labelled is not part of the mean.
#include <fmt/format.h>

#include <cmath>

#include "lpot/metrics/kinds.h"
#include "lpot/metrics/maps.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr std::int64_t kMostClasses = 1'000'000;

Shape without_ones(Shape shape) {
  std::erase(shape, 1u);
  return shape;
}

struct MeanIouOptions {
  std::size_t classes = 0;
  bool compare_label = true;             // false: with the fp32 model
  std::optional<double> threshold = {};  // of one score per point

  bool operator==(const MeanIouOptions&) const = default;
};

// Finds the classes of the points of samples.
class PointReader {
 public:
  explicit PointReader(const MeanIouOptions& options) : options_(options) {}

  // For a sample whose points are known from its label.
  Tensor classes(const Tensor& sample, const Tensor& label, std::size_t number) const {
    const Shape points = without_ones(label.shape());
    if (without_ones(sample.shape()) == points) return single_values(sample);
    for (const ClassAxis axis : {ClassAxis::First, ClassAxis::Last})
      if (const auto layout = layout_at(sample.shape(), axis); layout && without_ones(layout->points) == points)
        return highest_classes(sample, *layout);
    throw DataError("mIOU",
                    fmt::format("the first output has the shape {} for each sample, and the label of sample {} of the "
                                "batch is {}; expected the label's shape, or that shape and an axis of {} classes "
                                "(num_classes)",
                                to_string(sample.shape()), number, label.describe(), options_.classes));
  }

  // For a sample of the fp32 model.
  Tensor classes(const Tensor& sample) const {
    if (is_integer_type(sample.element_type())) return sample;
    const auto first = layout_at(sample.shape(), ClassAxis::First), last = layout_at(sample.shape(), ClassAxis::Last);
    if (first && last && sample.shape().size() > 1)
      throw DataError("mIOU", fmt::format("the first output is {} for each sample, so its first and its last axis may "
                                          "be the {} classes; use PixelAgreement with class_axis",
                                          to_string(sample.shape()), options_.classes));
    if (first || last) return highest_classes(sample, first ? *first : *last);
    if (options_.threshold) return single_values(sample);
    throw DataError("mIOU",
                    fmt::format("the first output is {} for each sample, expected an axis of {} classes (num_classes). "
                                "For one score per pixel, set num_classes: 2 and threshold",
                                to_string(sample.shape()), options_.classes));
  }

 private:
  std::optional<MapLayout> layout_at(const Shape& shape, ClassAxis axis) const {
    if (shape.size() < 2) return std::nullopt;
    const MapLayout layout = map_layout(shape, axis, "mIOU");
    return layout.classes == options_.classes ? std::optional(layout) : std::nullopt;
  }

  Tensor single_values(const Tensor& sample) const {
    if (!options_.threshold || is_integer_type(sample.element_type())) return sample;
    return point_classes(sample, {ClassAxis::None, *options_.threshold}, "mIOU");
  }

  MeanIouOptions options_;
};

class MeanIou : public Metric {
 public:
  explicit MeanIou(const MeanIouOptions& options)
      : options_(options), both_(options.classes), given_(options.classes), expected_(options.classes) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    check_first_output(outputs, labels.size(), "mIOU");
    const PointReader reader(options_);
    MeanIou batch(options_);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Tensor label = label_classes(reader, labels[i], i);
      const Tensor given = reader.classes(outputs[0].slice(i), label, i);
      for (std::size_t point = 0; point < label.size(); ++point)
        batch.count(given.value_at(point), label_at(label.value_at(point), i), i);
    }
    add(batch);
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<MeanIou>(other, "mIOU");
    if (same.options_ != options_)
      throw Error("mIOU", "cannot be merged with another num_classes, compare_label or threshold");
    add(same);
  }

  double result() const override {
    double sum = 0;
    std::size_t present = 0;
    for (std::size_t i = 0; i < both_.size(); ++i) {
      const std::int64_t either = given_[i] + expected_[i] - both_[i];
      if (either == 0) continue;
      sum += static_cast<double>(both_[i]) / static_cast<double>(either);
      ++present;
    }
    if (present == 0)
      throw DataError("mIOU",
                      fmt::format("the data set is empty or has no label in 0..{}; check the data set and num_classes",
                                  both_.size() - 1));
    return sum / static_cast<double>(present);
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<MeanIou>(options_); }
  bool labels_are_baseline() const override { return !options_.compare_label; }
  Tensor baseline_label(const std::vector<Tensor>& outputs, std::size_t row) const override {
    return PointReader(options_).classes(outputs.at(0).slice(row));
  }

 private:
  // The label of a sample. Scores of the fp32 model become classes.
  Tensor label_classes(const PointReader& reader, const Tensor& label, std::size_t sample) const {
    if (label.empty())
      throw DataError("mIOU", fmt::format("sample {} of the batch has no label; use a data set with labels, or "
                                          "compare_label: false, which compares with the fp32 model",
                                          sample));
    return options_.compare_label ? label : reader.classes(label);
  }

  std::int64_t label_at(double value, std::size_t sample) const {
    if (value != std::floor(value) || !std::isfinite(value))
      throw DataError("mIOU", fmt::format("the label of sample {} of the batch contains {}, expected whole numbers",
                                          sample, value));
    const bool is_class = value >= 0 && value < static_cast<double>(both_.size());
    return is_class ? static_cast<std::int64_t>(value) : -1;
  }

  void count(double given, std::int64_t label, std::size_t sample) {
    if (label < 0) return;
    if (std::isnan(given) || given == -1)
      throw DataError("mIOU", fmt::format("the first output contains NaN for sample {} of the batch", sample));
    if (!(given >= 0 && given < static_cast<double>(both_.size())) || given != std::floor(given))
      throw DataError("mIOU", fmt::format("the first output contains {} for sample {} of the batch, expected classes "
                                          "0..{} (num_classes {})",
                                          given, sample, both_.size() - 1, both_.size()));
    const auto answer = static_cast<std::size_t>(given), expected = static_cast<std::size_t>(label);
    ++given_[answer];
    ++expected_[expected];
    if (answer == expected) ++both_[expected];
  }

  void add(const MeanIou& other) {
    for (std::size_t i = 0; i < both_.size(); ++i) {
      both_[i] += other.both_[i];
      given_[i] += other.given_[i];
      expected_[i] += other.expected_[i];
    }
  }

  MeanIouOptions options_;
  std::vector<std::int64_t> both_, given_, expected_;  // points per class
};

std::unique_ptr<Metric> make_miou(const Component& component) {
  const std::int64_t classes = component.parameters.integer("num_classes");
  if (classes < 1 || classes > kMostClasses)
    throw config_error(component, fmt::format("num_classes: expected 1..{}, got {}", kMostClasses, classes));
  MeanIouOptions options{static_cast<std::size_t>(classes), component.parameters.flag("compare_label")};
  if (component.parameters.has("threshold")) options.threshold = component.parameters.number("threshold");
  if (options.threshold && classes != 2)
    throw config_error(component, fmt::format("threshold divides points into 2 classes, but num_classes is {}; set "
                                              "num_classes: 2",
                                              classes));
  return std::make_unique<MeanIou>(options);
}

}  // namespace

MetricKind miou_metric() {
  return {{.name = "mIOU",
           .summary = "mean intersection over union of segmentation classes",
           .parameters = {{.name = "num_classes",
                           .kind = ValueKind::Integer,
                           .default_value = "21",
                           .summary = "number of classes; other labels (such as 255) are ignored"},
                          {.name = "compare_label",
                           .kind = ValueKind::Flag,
                           .default_value = "true",
                           .summary = "compare with the labels; false: with the classes of the fp32 model"},
                          {.name = "threshold",
                           .kind = ValueKind::Number,
                           .summary = "for one score per pixel and num_classes 2: above it is class 1, else class 0"}},
           .shorthand = "num_classes"},
          make_miou};
}

}  // namespace lpot
