// Non-maximum suppression: greedy, for each class separately, as torchvision's batched_nms.
//
//   const std::vector<Found> kept = suppress(std::move(found), {.iou_threshold = 0.5, .max_detections = 100});
//
// The box with the highest score is kept and suppresses all boxes of its class whose intersection over union with it is
// larger than the threshold; then the next one. Of equal scores, the earlier box comes first.
#pragma once
#include <cstddef>
#include <vector>

#include "lpot/metrics/detections.h"

namespace lpot {

struct NmsOptions {
  double iou_threshold = 0.7;
  std::size_t max_detections = 100;   // of all classes together
  std::size_t max_candidates = 3000;  // of each class, before suppression; more cost time and hardly ever survive
};

// The boxes that are kept, in descending order of their scores.
std::vector<Found> suppress(std::vector<Found>, const NmsOptions&);

// Sorts by descending score and keeps the first ones.
std::vector<Found> best_boxes(std::vector<Found>, std::size_t max_detections);

}  // namespace lpot
