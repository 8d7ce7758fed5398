// Mean intersection over union of the classes of a segmentation.
//
// The first output contains classes (as many values as the label) or scores. The class axis of scores is the first,
// [count,classes,height,width], or the last, [count,height,width,classes]; of equal scores, the lower class is used.
// Points with a label outside of 0..num_classes-1 (255 for "void") are ignored, as in LPOT. A class that is neither
// predicted nor labelled is not part of the mean.
#include <fmt/format.h>

#include <cmath>

#include "lpot/metrics/kinds.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr std::int64_t kMostClasses = 1'000'000;

// The layout of a sample: the score of class c at point p is at [p / inner * classes * inner + c * inner + p % inner].
struct Layout {
  std::size_t points = 0;
  std::size_t inner = 0;  // distance between two classes of a point; 0: the values are classes
};

Shape without_ones(Shape shape) {
  std::erase(shape, 1u);
  return shape;
}

std::optional<Layout> layout_at(std::size_t axis, const Shape& output, const Shape& label, std::size_t classes) {
  if (axis >= output.size() || output[axis] != classes) return std::nullopt;
  Shape rest(output.begin() + 1, output.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis - 1));
  if (without_ones(rest) != without_ones(label)) return std::nullopt;
  const Shape after(output.begin() + static_cast<std::ptrdiff_t>(axis) + 1, output.end());
  return Layout{element_count(label), element_count(after)};
}

Layout find_layout(const Shape& output, const Tensor& label, std::size_t classes, std::size_t sample) {
  if (label.empty()) throw DataError("mIOU", fmt::format("sample {} of the batch has no label", sample));
  if (without_ones({output.begin() + 1, output.end()}) == without_ones(label.shape())) return {label.size(), 0};
  if (const auto first = layout_at(1, output, label.shape(), classes)) return *first;
  if (const auto last = layout_at(output.size() - 1, output, label.shape(), classes)) return *last;
  throw DataError("mIOU",
                  fmt::format("the first output has the shape {} and the label of sample {} of the batch is {}; "
                              "expected the label's shape, or that shape and an axis of {} classes (num_classes)",
                              to_string(output), sample, label.describe(), classes));
}

class MeanIou : public Metric {
 public:
  explicit MeanIou(std::size_t classes) : both_(classes), given_(classes), expected_(classes) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores scores(outputs, labels, "mIOU");
    MeanIou batch(both_.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Layout layout = find_layout(outputs[0].shape(), labels[i], both_.size(), i);
      const std::vector<double> expected = to_doubles(labels[i]);
      for (std::size_t point = 0; point < layout.points; ++point)
        batch.count(scores.row(i), layout, point, label_at(expected[point], i), i);
    }
    add(batch);
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<MeanIou>(other, "mIOU");
    if (same.both_.size() != both_.size())
      throw Error("mIOU", fmt::format("{} classes cannot be merged with {}", both_.size(), same.both_.size()));
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

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<MeanIou>(both_.size()); }

 private:
  std::int64_t label_at(double value, std::size_t sample) const {
    if (value != std::floor(value) || !std::isfinite(value))
      throw DataError("mIOU", fmt::format("the label of sample {} of the batch contains {}, expected whole numbers",
                                          sample, value));
    const bool is_class = value >= 0 && value < static_cast<double>(both_.size());
    return is_class ? static_cast<std::int64_t>(value) : -1;
  }

  void count(std::span<const double> row, const Layout& layout, std::size_t point, std::int64_t label,
             std::size_t sample) {
    if (label < 0) return;
    const auto expected = static_cast<std::size_t>(label);
    const std::size_t given = layout.inner == 0 ? class_at(row[point], sample) : best_at(row, layout, point, sample);
    ++given_[given];
    ++expected_[expected];
    if (given == expected) ++both_[given];
  }

  std::size_t class_at(double value, std::size_t sample) const {
    if (!(value >= 0 && value < static_cast<double>(both_.size())) || value != std::floor(value))
      throw DataError("mIOU", fmt::format("the first output contains {} for sample {} of the batch, expected classes "
                                          "0..{} (num_classes {})",
                                          value, sample, both_.size() - 1, both_.size()));
    return static_cast<std::size_t>(value);
  }

  std::size_t best_at(std::span<const double> row, const Layout& layout, std::size_t point, std::size_t sample) const {
    const std::size_t start = point / layout.inner * both_.size() * layout.inner + point % layout.inner;
    std::size_t best = 0;
    for (std::size_t i = 0; i < both_.size(); ++i) {
      const double score = row[start + i * layout.inner];
      if (std::isnan(score))
        throw DataError("mIOU", fmt::format("the first output contains NaN for sample {} of the "
                                            "batch",
                                            sample));
      if (score > row[start + best * layout.inner]) best = i;
    }
    return best;
  }

  void add(const MeanIou& other) {
    for (std::size_t i = 0; i < both_.size(); ++i) {
      both_[i] += other.both_[i];
      given_[i] += other.given_[i];
      expected_[i] += other.expected_[i];
    }
  }

  std::vector<std::int64_t> both_, given_, expected_;  // points per class
};

std::unique_ptr<Metric> make_miou(const Component& component) {
  const std::int64_t classes = component.parameters.integer("num_classes");
  if (classes < 1 || classes > kMostClasses)
    throw config_error(component, fmt::format("num_classes: expected 1..{}, got {}", kMostClasses, classes));
  return std::make_unique<MeanIou>(static_cast<std::size_t>(classes));
}

}  // namespace

MetricKind miou_metric() {
  return {{.name = "mIOU",
           .summary = "mean intersection over union of segmentation classes",
           .parameters = {{.name = "num_classes",
                           .kind = ValueKind::Integer,
                           .default_value = "21",
                           .summary = "number of classes; other labels (such as 255) are ignored"}},
           .shorthand = "num_classes"},
          make_miou};
}

}  // namespace lpot
