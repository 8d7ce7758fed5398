// How well a preprocessing fits a classifier, judged by the outputs for a few samples.
//
// With labels, a sample's value is the logarithm of the probability that the model gives to its label. Without labels,
// it is the distance (Kullback-Leibler) of the model's probabilities from their mean over all samples. The mean of
// these distances is the mutual information of sample and prediction. It is high if predictions are certain and differ
// between samples. A wrong preprocessing makes predictions uncertain, or the same for all samples; both lower it, while
// the plain confidence often rises.
//
// Candidates are compared sample by sample, so that easy and hard samples do not matter.
//
//   const PreprocessingFit unit = fit_of("0..1", {{0.9, 0.1}, {0.3, 0.7}}, {0, 1});
//   const PreprocessingFit symmetric = fit_of("-1..1", {{0.6, 0.4}, {0.5, 0.5}}, {0, 1});
//   if (best_fit({unit, symmetric}) == 0) std::cout << unit.describe() << "\n";
//
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lpot {

using OutputRow = std::vector<double>;  // the scores of all classes for one sample

struct PreprocessingFit {
  std::string name;
  std::vector<double> values;           // one per sample; higher is better
  std::optional<double> accuracy = {};  // top-1; unset without labels
  double confidence = 0;                // mean of the highest probabilities
  double mean() const;

  std::string describe() const;  // "top-1 0.766, log-likelihood -1.05", "confidence 0.787, information 4.00"
};

// Probabilities from the outputs of a classifier: unchanged if they are probabilities already, else their softmax.
std::vector<OutputRow> to_probabilities(std::vector<OutputRow> rows);

// All rows have one length. `labels` is empty without labels, else one per row. The probability of a label that is not
// a class is 0.
PreprocessingFit fit_of(std::string name, const std::vector<OutputRow>& rows, const std::vector<std::int64_t>& labels);

// The candidate with the highest mean; the first of equals.
std::size_t best_fit(const std::vector<PreprocessingFit>&);

// Whether `a` is better than `b` beyond chance: by more than two standard errors of the mean difference.
bool clearly_better(const PreprocessingFit& a, const PreprocessingFit& b);

// Whether the predictions mean nothing: with labels, if the accuracy is not clearly better than always predicting the
// most frequent label; without labels, if predictions hardly depend on the samples.
bool fits_nothing(const PreprocessingFit&, const std::vector<std::int64_t>& labels, std::size_t classes);

// The accuracy of always predicting the most frequent label, at least 1 / classes.
double chance_accuracy(const std::vector<std::int64_t>& labels, std::size_t classes);

}  // namespace lpot
