// Average precision of detections, as in pycocotools: area "all", at most 100 detections per class and image.
//
//   PrecisionCounts counts;
//   const PrecisionOptions options{.thresholds = linear(0.5, 0.95, 10), .points = 101};
//   for (const Image& image : images) count_image(counts, image, options);
//   const double map = mean_average_precision(counts, options);
//
// The only difference: detections of equal scores are added to the curve together, so that the result does not depend
// on the order of the images.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "lpot/metrics/detections.h"

namespace lpot {

struct PrecisionOptions {
  std::vector<double> thresholds{0.5};  // of intersection over union
  int points = 0;                       // number of recall values: 101 or 11; 0: area under the curve
  bool flag_is_crowd = true;            // flagged objects are crowds (the union is the area of the detection)

  bool operator==(const PrecisionOptions&) const = default;
};

// The outcome of a detection at one threshold. Ignored: it matches a flagged object.
enum class Outcome : std::uint8_t { Wrong, Right, Ignored };

struct ClassCounts {
  std::int64_t truths = 0;        // number of unflagged objects
  std::vector<double> scores;     // of every detection
  std::vector<Outcome> outcomes;  // of every detection at every threshold
};

using PrecisionCounts = std::map<std::int64_t, ClassCounts>;  // by class

double intersection_over_union(const Box& found, const Box& truth, bool truth_is_crowd);

void count_image(PrecisionCounts&, const Image&, const PrecisionOptions&);

void add(PrecisionCounts& to, const PrecisionCounts& from);

// Mean over the thresholds and over the classes with unflagged objects; -1 if there is no such class.
double mean_average_precision(const PrecisionCounts&, const PrecisionOptions&);

// `count` values from first to last, both included, rounded as in numpy.linspace.
std::vector<double> linear(double first, double last, std::size_t count);

}  // namespace lpot
