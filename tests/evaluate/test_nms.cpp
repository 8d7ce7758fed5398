#include "lpot/evaluate/boxes/nms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lpot/metrics/average_precision.h"

namespace lpot {
namespace {

// The definition: a box is kept unless a kept box of its class with a higher score (or an earlier box with the same
// score) overlaps it by more than the threshold.
std::vector<Found> by_definition(const std::vector<Found>& boxes, double threshold) {
  std::vector<std::size_t> order(boxes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return boxes[a].score > boxes[b].score; });
  std::vector<Found> kept;
  for (const std::size_t i : order) {
    const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](const Found& other) {
      return other.object_class == boxes[i].object_class &&
             intersection_over_union(other.box, boxes[i].box, false) > threshold;
    });
    if (!overlaps) kept.push_back(boxes[i]);
  }
  return kept;
}

std::vector<Found> random_boxes(std::mt19937& random, std::size_t count) {
  std::uniform_real_distribution<double> place(0, 400), side(20, 200);
  std::vector<Found> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const double y = place(random), x = place(random);
    boxes.push_back({{y, x, y + side(random), x + side(random)},
                     static_cast<std::int64_t>(random() % 3),
                     static_cast<double>(random() % 50) / 50});
  }
  return boxes;
}

bool equal(const Found& a, const Found& b) {
  return a.box.y_min == b.box.y_min && a.box.x_min == b.box.x_min && a.box.y_max == b.box.y_max &&
         a.box.x_max == b.box.x_max && a.object_class == b.object_class && a.score == b.score;
}

TEST(Nms, KeepsTheBoxesOfTheDefinition) {
  std::mt19937 random(7);
  for (const double threshold : {0.0, 0.3, 0.5, 0.7, 1.0})
    for (int round = 0; round < 20; ++round) {
      const std::vector<Found> boxes = random_boxes(random, 150);
      const std::vector<Found> expected = by_definition(boxes, threshold);
      std::vector<Found> kept = suppress(boxes, {.iou_threshold = threshold, .max_detections = 1000});
      ASSERT_EQ(kept.size(), expected.size()) << "threshold " << threshold;
      EXPECT_TRUE(
          std::is_sorted(kept.begin(), kept.end(), [](const Found& a, const Found& b) { return a.score > b.score; }));
      for (const Found& box : expected)
        EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [&](const Found& other) { return equal(box, other); }));
    }
}

TEST(Nms, KeepsTheBestOfAllClasses) {
  std::mt19937 random(8);
  const std::vector<Found> all = suppress(random_boxes(random, 200), {.iou_threshold = 0.5, .max_detections = 1000});
  std::mt19937 again(8);
  const std::vector<Found> best = suppress(random_boxes(again, 200), {.iou_threshold = 0.5, .max_detections = 10});
  ASSERT_EQ(best.size(), 10u);
  for (std::size_t i = 0; i < best.size(); ++i) EXPECT_EQ(best[i].score, all[i].score);
}

TEST(Nms, KeepsABoxThatOverlapsByExactlyTheThreshold) {
  const std::vector<Found> boxes{{{0, 0, 1, 2}, 0, 0.9}, {{0, 1, 1, 3}, 0, 0.8}};  // an overlap of 1/3
  EXPECT_EQ(suppress(boxes, {.iou_threshold = 1.0 / 3}).size(), 2u);
  EXPECT_EQ(suppress(boxes, {.iou_threshold = 0.33}).size(), 1u);
}

TEST(Nms, AcceptsNoBoxes) { EXPECT_TRUE(suppress({}, {}).empty()); }

}  // namespace
}  // namespace lpot
