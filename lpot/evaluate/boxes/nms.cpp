#include "lpot/evaluate/boxes/nms.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace lpot {
namespace {

// Sides of boxes in separate arrays, so that one box is compared with many by vector instructions.
struct BoxColumns {
  std::vector<double> y_min, x_min, y_max, x_max, area;

  explicit BoxColumns(const std::vector<Found>& boxes) {
    for (const Found& found : boxes) {
      y_min.push_back(found.box.y_min);
      x_min.push_back(found.box.x_min);
      y_max.push_back(found.box.y_max);
      x_max.push_back(found.box.x_max);
      area.push_back(found.box.area());
    }
  }

  // Marks the boxes after `first` that overlap it by more than the threshold.
  void mark_overlapping(std::size_t first, double threshold, std::vector<std::uint8_t>& marks) const {
    for (std::size_t i = first + 1; i < area.size(); ++i) {
      const double height = std::max(0.0, std::min(y_max[first], y_max[i]) - std::max(y_min[first], y_min[i]));
      const double width = std::max(0.0, std::min(x_max[first], x_max[i]) - std::max(x_min[first], x_min[i]));
      const double both = height * width;
      marks[i] |= both > threshold * (area[first] + area[i] - both) ? 1 : 0;
    }
  }
};

// `boxes` are sorted.
void suppress_class(const std::vector<Found>& boxes, const NmsOptions& options, std::vector<Found>& kept) {
  const BoxColumns columns(boxes);
  std::vector<std::uint8_t> suppressed(boxes.size(), 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < boxes.size() && count < options.max_detections; ++i) {
    if (suppressed[i] != 0) continue;
    kept.push_back(boxes[i]);
    ++count;
    columns.mark_overlapping(i, options.iou_threshold, suppressed);
  }
}

}  // namespace

std::vector<Found> best_boxes(std::vector<Found> boxes, std::size_t max_detections) {
  std::stable_sort(boxes.begin(), boxes.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
  if (boxes.size() > max_detections) boxes.resize(max_detections);
  return boxes;
}

std::vector<Found> suppress(std::vector<Found> boxes, const NmsOptions& options) {
  std::map<std::int64_t, std::vector<Found>> classes;
  for (const Found& found : boxes) classes[found.object_class].push_back(found);
  std::vector<Found> kept;
  for (auto& [object_class, all] : classes)
    suppress_class(best_boxes(std::move(all), options.max_candidates), options, kept);
  return best_boxes(std::move(kept), options.max_detections);
}

}  // namespace lpot
