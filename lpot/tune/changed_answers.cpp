#include "lpot/tune/changed_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

struct Margins {
  std::vector<double> of_fp32;  // never negative
  std::vector<double> noise;    // margin of the same class in the other model, less that of fp32
};

bool has_class_scores(const Tensor& output) {
  return !is_integer_type(output.element_type()) && output.shape().size() == 2 && output.shape()[1] > 1;
}

// The score of `answer` less the largest other score of the row.
double margin(const Tensor& scores, std::size_t row, std::size_t answer) {
  const std::size_t classes = scores.shape()[1], first = row * classes;
  double other = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < classes; ++i)
    if (i != answer) other = std::max(other, scores.value_at(first + i));
  return scores.value_at(first + answer) - other;
}

std::size_t answer_of(const Tensor& scores, std::size_t row) {
  const std::size_t classes = scores.shape()[1], first = row * classes;
  std::size_t best = 0;
  for (std::size_t i = 1; i < classes; ++i)
    if (scores.value_at(first + i) > scores.value_at(first + best)) best = i;
  return best;
}

void append_margins(const Tensor& scores, const Tensor& expected, Margins& margins) {
  for (std::size_t row = 0; row < expected.shape()[0]; ++row) {
    const std::size_t answer = answer_of(expected, row);
    margins.of_fp32.push_back(margin(expected, row, answer));
    margins.noise.push_back(margin(scores, row, answer) - margins.of_fp32.back());
  }
}

// Rows of length 1 that have negative values. Certain probabilities have length 1 too, but they are never negative.
bool is_embedding(const Outputs& expected, std::size_t output) {
  constexpr double kTolerance = 1e-3;  // of the length, for models in 16 bits
  bool has_negative = false;
  for (const std::vector<Tensor>& batch : expected) {
    const Tensor& rows = batch[output];
    const std::size_t columns = rows.shape()[1];
    for (std::size_t row = 0; row < rows.shape()[0]; ++row) {
      double squares = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        const double value = rows.value_at(row * columns + i);
        squares += value * value;
        has_negative = has_negative || value < 0;
      }
      if (std::fabs(std::sqrt(squares) - 1) > kTolerance) return false;
    }
  }
  return has_negative;
}

double expected_share(Margins margins) {
  std::sort(margins.noise.begin(), margins.noise.end());
  double changed = 0;
  for (const double margin : margins.of_fp32) {
    const auto enough = std::lower_bound(margins.noise.begin(), margins.noise.end(), -margin);
    changed += static_cast<double>(enough - margins.noise.begin()) / static_cast<double>(margins.noise.size());
  }
  return changed / static_cast<double>(margins.of_fp32.size());
}

}  // namespace

std::optional<double> changed_answers(const Outputs& outputs, const Outputs& expected) {
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t output = 0; output < expected.front().size(); ++output) {
    if (!has_class_scores(expected.front()[output]) || is_embedding(expected, output)) continue;
    Margins margins;
    for (std::size_t batch = 0; batch < expected.size(); ++batch)
      append_margins(outputs[batch][output], expected[batch][output], margins);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    const bool all_finite = std::all_of(margins.noise.begin(), margins.noise.end(), is_finite);
    sum += all_finite ? expected_share(std::move(margins)) : std::numeric_limits<double>::infinity();
    ++counted;
  }
  return counted == 0 ? std::nullopt : std::optional(sum / static_cast<double>(counted));
}

}  // namespace lpot
