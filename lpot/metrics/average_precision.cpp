#include "lpot/metrics/average_precision.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace lpot {
namespace {

constexpr std::size_t kMostPerImage = 100;  // detections of a class, as in pycocotools

// The ground truth and detections of one class in one image: unflagged objects first, detections sorted by score.
struct Group {
  std::vector<const Truth*> truths;
  std::vector<const Found*> found;
};

std::map<std::int64_t, Group> group(const Image& image) {
  std::map<std::int64_t, Group> groups;
  for (const Truth& truth : image.truths) groups[truth.object_class].truths.push_back(&truth);
  for (const Found& found : image.found) groups[found.object_class].found.push_back(&found);
  for (auto& [object_class, each] : groups) {
    std::stable_partition(each.truths.begin(), each.truths.end(), [](const Truth* truth) { return !truth->flag; });
    std::stable_sort(each.found.begin(), each.found.end(),
                     [](const Found* a, const Found* b) { return a->score > b->score; });
    if (each.found.size() > kMostPerImage) each.found.resize(kMostPerImage);
  }
  return groups;
}

// Matches each detection, best first, to the unmatched object with the largest overlap. A flagged object is matched
// only if there is no other, and any number of times.
std::vector<Outcome> match(const Group& group, double threshold, bool flag_is_crowd) {
  std::vector<Outcome> outcomes;
  std::vector<bool> taken(group.truths.size(), false);
  for (const Found* found : group.found) {
    double best = std::min(threshold, 1 - 1e-10);
    std::optional<std::size_t> matched;
    for (std::size_t i = 0; i < group.truths.size(); ++i) {
      const Truth& truth = *group.truths[i];
      if (taken[i]) continue;
      if (matched && !group.truths[*matched]->flag && truth.flag) break;
      const double overlap = intersection_over_union(found->box, truth.box, truth.flag && flag_is_crowd);
      if (overlap < best) continue;
      best = overlap;
      matched = i;
    }
    if (!matched) {
      outcomes.push_back(Outcome::Wrong);
    } else if (group.truths[*matched]->flag) {
      outcomes.push_back(Outcome::Ignored);
    } else {
      taken[*matched] = true;
      outcomes.push_back(Outcome::Right);
    }
  }
  return outcomes;
}

struct CurvePoint {
  double recall, precision;
};

// One point per score, from the highest. Precision is then made monotonically decreasing.
std::vector<CurvePoint> curve(const ClassCounts& counts, const std::vector<std::size_t>& order, std::size_t threshold,
                              std::size_t thresholds) {
  std::vector<CurvePoint> points;
  std::int64_t right = 0, wrong = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Outcome outcome = counts.outcomes[order[i] * thresholds + threshold];
    right += outcome == Outcome::Right ? 1 : 0;
    wrong += outcome == Outcome::Wrong ? 1 : 0;
    const bool last_of_equals = i + 1 == order.size() || counts.scores[order[i + 1]] != counts.scores[order[i]];
    if (last_of_equals && right + wrong > 0)
      points.push_back({static_cast<double>(right) / static_cast<double>(counts.truths),
                        static_cast<double>(right) / static_cast<double>(right + wrong)});
  }
  for (std::size_t i = points.size(); i-- > 1;)
    points[i - 1].precision = std::max(points[i - 1].precision, points[i].precision);
  return points;
}

double area_under(const std::vector<CurvePoint>& points) {
  double area = 0, recall = 0;
  for (const CurvePoint& point : points) {
    area += (point.recall - recall) * point.precision;
    recall = point.recall;
  }
  return area;
}

double mean_at(const std::vector<CurvePoint>& points, const std::vector<double>& recalls) {
  double sum = 0;
  for (const double recall : recalls) {
    const auto at = std::lower_bound(points.begin(), points.end(), recall,
                                     [](const CurvePoint& point, double wanted) { return point.recall < wanted; });
    if (at != points.end()) sum += at->precision;
  }
  return sum / static_cast<double>(recalls.size());
}

double class_precision(const ClassCounts& counts, const PrecisionOptions& options) {
  std::vector<std::size_t> order(counts.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return counts.scores[a] > counts.scores[b]; });
  const std::vector<double> recalls = linear(0, 1, static_cast<std::size_t>(std::max(options.points, 2)));
  double sum = 0;
  for (std::size_t i = 0; i < options.thresholds.size(); ++i) {
    const auto points = curve(counts, order, i, options.thresholds.size());
    sum += options.points == 0 ? area_under(points) : mean_at(points, recalls);
  }
  return sum / static_cast<double>(options.thresholds.size());
}

}  // namespace

double intersection_over_union(const Box& found, const Box& truth, bool truth_is_crowd) {
  const double height = std::min(found.y_max, truth.y_max) - std::max(found.y_min, truth.y_min);
  const double width = std::min(found.x_max, truth.x_max) - std::max(found.x_min, truth.x_min);
  if (height <= 0 || width <= 0) return 0;
  const double both = height * width;
  return both / (truth_is_crowd ? found.area() : found.area() + truth.area() - both);
}

void count_image(PrecisionCounts& counts, const Image& image, const PrecisionOptions& options) {
  for (const auto& [object_class, each] : group(image)) {
    ClassCounts& to = counts[object_class];
    to.truths += std::count_if(each.truths.begin(), each.truths.end(), [](const Truth* truth) { return !truth->flag; });
    std::vector<std::vector<Outcome>> at_thresholds;
    for (const double threshold : options.thresholds)
      at_thresholds.push_back(match(each, threshold, options.flag_is_crowd));
    for (std::size_t i = 0; i < each.found.size(); ++i) {
      to.scores.push_back(each.found[i]->score);
      for (const auto& outcomes : at_thresholds) to.outcomes.push_back(outcomes[i]);
    }
  }
}

void add(PrecisionCounts& to, const PrecisionCounts& from) {
  for (const auto& [object_class, counts] : from) {
    ClassCounts& sum = to[object_class];
    sum.truths += counts.truths;
    sum.scores.insert(sum.scores.end(), counts.scores.begin(), counts.scores.end());
    sum.outcomes.insert(sum.outcomes.end(), counts.outcomes.begin(), counts.outcomes.end());
  }
}

double mean_average_precision(const PrecisionCounts& counts, const PrecisionOptions& options) {
  double sum = 0;
  std::size_t classes = 0;
  for (const auto& [object_class, each] : counts) {
    if (each.truths == 0) continue;
    sum += class_precision(each, options);
    ++classes;
  }
  return classes == 0 ? -1 : sum / static_cast<double>(classes);
}

std::vector<double> linear(double first, double last, std::size_t count) {
  std::vector<double> values;
  const double step = (last - first) / static_cast<double>(count - 1);
  for (std::size_t i = 0; i + 1 < count; ++i) values.push_back(static_cast<double>(i) * step + first);
  values.push_back(last);
  return values;
}

}  // namespace lpot
