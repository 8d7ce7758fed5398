// Mean average precision of the boxes of a model, with the boxes of the fp32 model as the truth. Needs no labels.
//
// Boxes of the fp32 model with a score of at least score_threshold are objects. Boxes of the other model match them as
// in mAP; boxes that match no object cost precision, but only if their scores are higher than those of correct boxes.
// Images without objects count too: boxes that only the other model finds there are wrong. Classes that the fp32 model
// finds in no image are not part of the mean, as in COCO.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lpot/metrics/average_precision.h"
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/precision_parameters.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr std::size_t kBoxColumns = 6;  // of a label: y_min, x_min, y_max, x_max, class, score

struct AgreementOptions {
  PrecisionOptions precision;
  double score_threshold = 0;

  bool operator==(const AgreementOptions&) const = default;
};

Tensor to_label(const std::vector<Found>& boxes) {
  Tensor label(ElementType::F64, {boxes.size(), kBoxColumns});
  double* row = label.data<double>();
  for (const Found& found : boxes) {
    const auto object_class = static_cast<double>(found.object_class);
    row = std::copy_n(
        std::array{found.box.y_min, found.box.x_min, found.box.y_max, found.box.x_max, object_class, found.score}
            .data(),
        kBoxColumns, row);
  }
  return label;
}

class BoxAgreement : public Metric {
 public:
  explicit BoxAgreement(AgreementOptions options) : options_(std::move(options)) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    std::vector<std::vector<Found>> found = read_detections(outputs, labels.size(), "BoxAgreement");
    std::vector<Image> images;
    for (std::size_t i = 0; i < labels.size(); ++i) images.push_back({truths_of(labels[i], i), std::move(found[i])});
    for (const Image& image : images) {
      count_image(counts_, image, options_.precision);
      ++images_;
      objects_ += image.truths.size();
      extra_ += image.truths.empty() && std::any_of(image.found.begin(), image.found.end(), [&](const Found& each) {
                  return each.score >= options_.score_threshold;
                });
    }
  }

  Tensor baseline_label(const std::vector<Tensor>& outputs, std::size_t row) const override {
    const std::size_t count = outputs.empty() || outputs[0].shape().empty() ? 0 : outputs[0].shape()[0];
    return to_label(read_detections(outputs, count, "BoxAgreement").at(row));
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<BoxAgreement>(other, "BoxAgreement");
    if (same.options_ != options_) throw Error("BoxAgreement", "cannot be merged with other thresholds or points");
    add(counts_, same.counts_);
    images_ += same.images_;
    objects_ += same.objects_;
    extra_ += same.extra_;
  }

  // A part of the data may have no objects. Both models then agree unless the other one finds some.
  double result() const override {
    if (images_ == 0)
      throw DataError("BoxAgreement", "no samples were evaluated; check that the data set is not empty");
    if (objects_ == 0) return 1 - static_cast<double>(extra_) / static_cast<double>(images_);
    return mean_average_precision(counts_, options_.precision);
  }

  void check_baseline() const override {
    if (objects_ == 0)
      throw DataError(
          "BoxAgreement",
          fmt::format("the fp32 model finds no box with a score of {} or more in {} images; expected some to "
                      "compare with. Check the preprocessing (size, order of channels, range of values), or "
                      "set a lower score_threshold",
                      options_.score_threshold, images_));
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<BoxAgreement>(options_); }
  bool labels_are_baseline() const override { return true; }
  bool compares_postprocessed() const override { return true; }

 private:
  std::vector<Truth> truths_of(const Tensor& label, std::size_t sample) const {
    if (label.empty() || label.shape().size() != 2 || label.shape()[1] != kBoxColumns)
      throw DataError("BoxAgreement", fmt::format("the fp32 boxes of sample {} of the batch are {}, expected [boxes,6]",
                                                  sample, label.empty() ? "missing" : label.describe()));
    const std::vector<double> values = to_doubles(label);
    std::vector<Truth> truths;
    for (std::size_t i = 0; i < label.shape()[0]; ++i) {
      const double* row = values.data() + i * kBoxColumns;
      if (row[5] >= options_.score_threshold)
        truths.push_back({{row[0], row[1], row[2], row[3]}, static_cast<std::int64_t>(row[4]), false});
    }
    return truths;
  }

  AgreementOptions options_;
  PrecisionCounts counts_;
  std::size_t images_ = 0;
  std::size_t objects_ = 0;  // boxes of the fp32 model
  std::size_t extra_ = 0;    // images without such boxes in which the other model finds one
};

std::unique_ptr<Metric> make_box_agreement(const Component& component) {
  const double threshold = component.parameters.number("score_threshold");
  if (!(threshold >= 0 && threshold <= 1))
    throw config_error(component, fmt::format("score_threshold: expected 0..1, got {}", threshold));
  return std::make_unique<BoxAgreement>(
      AgreementOptions{{.thresholds = read_thresholds(component), .points = read_points(component)}, threshold});
}

}  // namespace

MetricKind box_agreement_metric() {
  return {{.name = "BoxAgreement",
           .summary = "mean average precision of boxes against the boxes of the fp32 model; needs no labels",
           .parameters = {thresholds_parameter("0.5"),
                          points_parameter("0"),
                          {.name = "score_threshold",
                           .kind = ValueKind::Number,
                           .default_value = "0.25",
                           .summary = "boxes of the fp32 model with at least this score are the objects to find"}}},
          make_box_agreement};
}

}  // namespace lpot
