// Functions that metrics of classifiers share: rows of scores, labels as classes, and counts of correct predictions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

// Throws DataError with the operation `metric` unless the first output has `count` rows.
void check_first_output(const std::vector<Tensor>& outputs, std::size_t count, std::string_view metric);

// The first output of a model, one row of values per sample. Doubles represent every float exactly.
class Scores {
 public:
  // Throws DataError with the operation `metric` if the output is missing or does not have one row per label.
  Scores(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels, std::string_view metric);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::span<const double> row(std::size_t sample) const {
    return {values_.data<double>() + sample * columns_, columns_};
  }

 private:
  Tensor values_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 1;
};

// The index of the largest value, the first of equals. Nothing if there are no values or if one is NaN.
std::optional<std::size_t> argmax(std::span<const double>);

// The difference between the score at `place` and the best (or k-th best) other score; 0 if it is not a number.
double margin_of(std::span<const double>, std::size_t place, std::size_t k = 1);

// All values of a tensor.
std::vector<double> to_doubles(const Tensor&);

// A label as an integer; the tensor has one element. Throws DataError with the sample within the batch.
std::int64_t label_number(const Tensor& label, std::size_t sample, std::string_view metric);

// A label as one of `classes`. Throws DataError with the sample within the batch, the label and the classes.
std::size_t label_class(const Tensor& label, std::size_t sample, std::size_t classes, std::string_view metric);

// The number of correct predictions and of all predictions. Integers, so that partial results add up exactly.
struct Share {
  std::int64_t right = 0;
  std::int64_t total = 0;

  void count(bool is_right) {
    right += is_right ? 1 : 0;
    ++total;
  }
  void add(const Share& other) {
    right += other.right;
    total += other.total;
  }
  double value(std::string_view metric) const;  // throws DataError if there are no samples
};

}  // namespace lpot
