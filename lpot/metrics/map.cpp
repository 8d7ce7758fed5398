// Mean average precision of detections, in the three settings of LPOT:
//
//   mAP      iou_thrs 0.5, map_points 0
//   COCOmAP  iou_thrs 0.5:0.05:0.95, map_points 101
//   VOCmAP   iou_thrs 0.5, map_points 0 (the area under the curve; 11 for VOC 2007)
//
// These are defaults: a value in the config is used, while LPOT ignores it. All three match detections as COCO does. A
// flagged object is a crowd for mAP and COCOmAP and a difficult object for VOCmAP; detections of it are neither correct
// nor wrong. detections.h describes outputs and labels, average_precision.h the computation. Classes are numbers in
// both, so the names in anno_path are not needed.
#include <fmt/format.h>

#include <filesystem>

#include "lpot/metrics/average_precision.h"
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/precision_parameters.h"

namespace lpot {
namespace {

class MeanAveragePrecision : public Metric {
 public:
  MeanAveragePrecision(std::string name, PrecisionOptions options)
      : name_(std::move(name)), options_(std::move(options)) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    for (const Image& image : read_images(outputs, labels, name_)) {
      count_image(counts_, image, options_);
      ++images_;
    }
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<MeanAveragePrecision>(other, name_);
    if (same.name_ != name_ || same.options_ != options_)
      throw Error(name_, fmt::format("cannot be merged with {} of other thresholds or points", same.name_));
    add(counts_, same.counts_);
    images_ += same.images_;
  }

  double result() const override {
    if (images_ == 0) throw DataError(name_, "no samples were evaluated; check that the data set is not empty");
    const double precision = mean_average_precision(counts_, options_);
    if (precision < 0)
      throw DataError(
          name_, fmt::format("the labels of {} images contain no unflagged object; expected at least one", images_));
    return precision;
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<MeanAveragePrecision>(name_, options_); }

 private:
  std::string name_;
  PrecisionOptions options_;
  PrecisionCounts counts_;
  std::size_t images_ = 0;
};

std::unique_ptr<Metric> make_map(const Component& component) {
  PrecisionOptions options{.thresholds = read_thresholds(component),
                           .points = read_points(component),
                           .flag_is_crowd = component.name != "VOCmAP"};
  if (component.parameters.has("anno_path")) {
    const std::string& path = component.parameters.text("anno_path");
    if (!std::filesystem::exists(path))
      throw config_error(component, fmt::format("anno_path: '{}': no such file", path));
  }
  return std::make_unique<MeanAveragePrecision>(component.name, std::move(options));
}

MetricKind kind(const std::string& name, const std::string& summary, const std::string& thresholds,
                const std::string& points) {
  return {{.name = name,
           .summary = summary,
           .parameters = {{.name = "anno_path",
                           .kind = ValueKind::Path,
                           .summary = "file with the class names; it must exist, but only class numbers are compared"},
                          thresholds_parameter(thresholds),
                          points_parameter(points)}},
          make_map};
}

}  // namespace

MetricKind map_metric() { return kind("mAP", "mean average precision of detections", "0.5", "0"); }

MetricKind coco_map_metric() {
  return kind("COCOmAP", "mean average precision with the settings of COCO", "0.5:0.05:0.95", "101");
}

MetricKind voc_map_metric() {
  return kind("VOCmAP", "mean average precision with the settings of Pascal VOC", "0.5", "0");
}

}  // namespace lpot
