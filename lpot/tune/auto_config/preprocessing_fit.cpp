#include "lpot/tune/auto_config/preprocessing_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace lpot {
namespace {

constexpr double kSmallestProbability = 1e-12;  // limits the weight of single samples
constexpr double kStandardErrors = 2;           // a larger difference is not due to chance
constexpr double kLeastInformation = 0.05;      // as a share of the largest possible one

double log_of(double probability) { return std::log(std::max(probability, kSmallestProbability)); }

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

bool is_distribution(const OutputRow& row) {
  constexpr double kTolerance = 1e-2;  // f16 and bf16 outputs are not exact
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  return std::abs(sum - 1) < kTolerance && std::all_of(row.begin(), row.end(), [](double value) { return value >= 0; });
}

OutputRow softmax(OutputRow row) {
  const double highest = *std::max_element(row.begin(), row.end());
  for (double& value : row) value = std::exp(value - highest);
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (double& value : row) value /= sum;
  return row;
}

std::vector<double> distances_from_mean(const std::vector<OutputRow>& rows) {
  OutputRow mean(rows.front().size(), 0.0);
  for (const OutputRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) mean[i] += row[i] / static_cast<double>(rows.size());
  std::vector<double> distances;
  for (const OutputRow& row : rows) {
    double distance = 0;
    for (std::size_t i = 0; i < row.size(); ++i) distance += row[i] * (log_of(row[i]) - log_of(mean[i]));
    distances.push_back(distance);
  }
  return distances;
}

bool is_finite(const std::vector<OutputRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const OutputRow& row) {
    return std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
  });
}

}  // namespace

double PreprocessingFit::mean() const { return mean_of(values); }

std::string PreprocessingFit::describe() const {
  if (accuracy) return fmt::format("top-1 {:.3f}, log-likelihood {:.2f}", *accuracy, mean());
  return fmt::format("confidence {:.3f}, information {:.2f}", confidence, mean());
}

std::vector<OutputRow> to_probabilities(std::vector<OutputRow> rows) {
  if (std::all_of(rows.begin(), rows.end(), is_distribution)) return rows;
  for (OutputRow& row : rows) row = softmax(std::move(row));
  return rows;
}

PreprocessingFit fit_of(std::string name, const std::vector<OutputRow>& outputs,
                        const std::vector<std::int64_t>& labels) {
  PreprocessingFit fit{std::move(name), {}};
  if (outputs.empty()) return fit;
  if (!is_finite(outputs)) {  // the values overflow in the model
    fit.values.assign(outputs.size(), log_of(0));
    if (!labels.empty()) fit.accuracy = 0;
    return fit;
  }
  const std::vector<OutputRow> rows = to_probabilities(outputs);
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto highest = std::max_element(rows[i].begin(), rows[i].end());
    fit.confidence += *highest / static_cast<double>(rows.size());
    if (labels.empty()) continue;
    if (highest - rows[i].begin() == labels[i]) ++right;
    const bool is_class = labels[i] >= 0 && labels[i] < static_cast<std::int64_t>(rows[i].size());
    fit.values.push_back(log_of(is_class ? rows[i][static_cast<std::size_t>(labels[i])] : 0));
  }
  if (labels.empty())
    fit.values = distances_from_mean(rows);
  else
    fit.accuracy = static_cast<double>(right) / static_cast<double>(rows.size());
  return fit;
}

std::size_t best_fit(const std::vector<PreprocessingFit>& fits) {
  const auto less = [](const PreprocessingFit& a, const PreprocessingFit& b) { return a.mean() < b.mean(); };
  return static_cast<std::size_t>(std::max_element(fits.begin(), fits.end(), less) - fits.begin());
}

bool clearly_better(const PreprocessingFit& a, const PreprocessingFit& b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i)
    differences.push_back(a.values[i] - b.values[i]);
  if (differences.size() < 2) return false;
  const double mean = mean_of(differences);
  double squares = 0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  const auto count = static_cast<double>(differences.size());
  return mean > kStandardErrors * std::sqrt(squares / (count - 1) / count);
}

double chance_accuracy(const std::vector<std::int64_t>& labels, std::size_t classes) {
  std::map<std::int64_t, std::size_t> counts;
  std::size_t most = 0;
  for (const std::int64_t label : labels) most = std::max(most, ++counts[label]);
  return std::max(1.0 / static_cast<double>(classes),
                  static_cast<double>(most) / static_cast<double>(std::max<std::size_t>(1, labels.size())));
}

bool fits_nothing(const PreprocessingFit& fit, const std::vector<std::int64_t>& labels, std::size_t classes) {
  const auto count = static_cast<double>(std::max<std::size_t>(1, fit.values.size()));
  if (fit.accuracy) {
    const double chance = chance_accuracy(labels, classes);
    return *fit.accuracy <= chance + kStandardErrors * std::sqrt(chance * (1 - chance) / count);
  }
  return fit.mean() < kLeastInformation * std::log(std::min(count, static_cast<double>(classes)));
}

}  // namespace lpot
