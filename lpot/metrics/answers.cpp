#include "lpot/metrics/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lpot/core/error.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {

Answers class_answers(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels, std::string_view metric) {
  const Scores scores(outputs, labels, metric);
  Answers answers;
  if (scores.rows() == 0) return answers;
  check_class_scores(outputs, metric);
  const bool is_class = scores.columns() == 1 && is_integer_type(outputs[0].element_type());
  if (!is_class) answers.classes = std::max<std::size_t>(2, scores.columns());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = scores.row(i);
    Answer answer;
    if (is_class) {
      answer = {static_cast<std::int64_t>(row[0]), label_number(labels[i], i, metric)};
      if (*answer.given < 0 || answer.expected < 0)
        throw DataError(metric,
                        fmt::format("sample {} of the batch has the prediction {} and the label {}; expected classes "
                                    "of 0 or more",
                                    i, *answer.given, answer.expected));
    } else {
      answer.expected = static_cast<std::int64_t>(label_class(labels[i], i, answers.classes, metric));
      if (row.size() > 1)
        answer.given = argmax(row);
      else if (!std::isnan(row[0]))
        answer.given = row[0] > 0.5 ? 1 : 0;
    }
    answers.all.push_back(answer);
  }
  return answers;
}

void Confusion::add(const Confusion& other) {
  for (const auto& [pair, count] : other.counts_) counts_[pair] += count;
}

double Confusion::accuracy() const {
  std::int64_t right = 0, total = 0;
  for (const auto& [pair, count] : counts_) {
    if (pair.first == pair.second) right += count;
    total += count;
  }
  return total == 0 ? 0 : static_cast<double>(right) / static_cast<double>(total);
}

double Confusion::f1(std::int64_t positive) const {
  std::int64_t right = 0, wrong = 0;  // 2 right / (2 right + false positives + false negatives)
  for (const auto& [pair, count] : counts_) {
    if (pair.first == positive && pair.second == positive)
      right += count;
    else if (pair.first == positive || pair.second == positive)
      wrong += count;
  }
  return right == 0 ? 0 : 2.0 * static_cast<double>(right) / static_cast<double>(2 * right + wrong);
}

double Confusion::macro_f1() const {
  std::set<std::int64_t> classes;
  for (const auto& [pair, count] : counts_) classes.insert({pair.first, pair.second});
  classes.erase(kNoAnswer);
  double sum = 0;
  for (const std::int64_t each : classes) sum += f1(each);
  return classes.empty() ? 0 : sum / static_cast<double>(classes.size());
}

// Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient, 2004.
double Confusion::matthews() const {
  std::map<std::int64_t, long double> given, expected;
  long double right = 0, total = 0;
  for (const auto& [pair, count] : counts_) {
    const auto number = static_cast<long double>(count);
    given[pair.first] += number;
    expected[pair.second] += number;
    if (pair.first == pair.second) right += number;
    total += number;
  }
  long double product = 0, given_squares = 0, expected_squares = 0;
  for (const auto& [each, number] : given) {
    given_squares += number * number;
    if (const auto found = expected.find(each); found != expected.end()) product += number * found->second;
  }
  for (const auto& [each, number] : expected) expected_squares += number * number;
  const long double spread = (total * total - given_squares) * (total * total - expected_squares);
  return spread <= 0 ? 0 : static_cast<double>((right * total - product) / std::sqrt(spread));
}

}  // namespace lpot
