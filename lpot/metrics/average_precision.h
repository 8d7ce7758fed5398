// Average precision of detections, counted as pycocotools does: area "all", at most 100 detections of a class per
// image.
//
//   PrecisionCounts counts;
//   const PrecisionOptions options{.thresholds = linear(0.5, 0.95, 10), .points = 101};
//   for (const Image& image : images) count_image(counts, image, options);
//   const double map = mean_average_precision(counts, options);
//
// One thing differs: detections of equal scores enter the curve together, so that the result does not depend on the
// order in which images are counted.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "lpot/metrics/detections.h"

namespace lpot {

struct PrecisionOptions {
  std::vector<double> thresholds{0.5};  // of intersection over union
  int points = 0;                       // recalls at which precision is read: 101, 11; 0: area under the curve
  bool flag_is_crowd = true;            // flagged truths are crowds (union is the detection's area); else plain objects

  bool operator==(const PrecisionOptions&) const = default;
};

// What becomes of a detection at one threshold. Ignored: it matches a flagged truth.
enum class Outcome : std::uint8_t { Wrong, Right, Ignored };

struct ClassCounts {
  std::int64_t truths = 0;        // without flag
  std::vector<double> scores;     // of every detection
  std::vector<Outcome> outcomes;  // of every detection at every threshold
};

using PrecisionCounts = std::map<std::int64_t, ClassCounts>;  // by class

double intersection_over_union(const Box& found, const Box& truth, bool truth_is_crowd);

void count_image(PrecisionCounts&, const Image&, const PrecisionOptions&);

void add(PrecisionCounts& to, const PrecisionCounts& from);

// Mean over the classes that have a truth without flag, and over the thresholds; -1 when there is no such class.
double mean_average_precision(const PrecisionCounts&, const PrecisionOptions&);

// `count` values from first to last, both included, rounded as numpy.linspace rounds them.
std::vector<double> linear(double first, double last, std::size_t count);

}  // namespace lpot
