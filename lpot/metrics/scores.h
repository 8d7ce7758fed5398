// What metrics of classifiers share: scores as rows, labels as classes, counts of right answers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

// A model's first output, one row of values per sample. Doubles hold every float exactly.
class Scores {
 public:
  // Throws DataError in the name of `metric` when the output is missing or does not have one row per label.
  Scores(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels, std::string_view metric);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::span<const double> row(std::size_t sample) const {
    return {values_.data<double>() + sample * columns_, columns_};
  }

  // Throws DataError unless a row has one dimension besides those of size 1: [count,classes], [count,classes,1,1].
  void check_flat(std::string_view metric) const;

 private:
  Tensor values_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 1;
};

// Place of the largest value, the first one of equals; nothing when there is none or one is not a number.
std::optional<std::size_t> argmax(std::span<const double>);

// How far the score at `place` is ahead of the best other, or of the k-th best other; 0 when it is not ahead.
double margin_of(std::span<const double>, std::size_t place, std::size_t k = 1);

// All values of a tensor.
std::vector<double> to_doubles(const Tensor&);

// A label as a whole number: a tensor of one element. Throws DataError that names the sample within the batch.
std::int64_t label_number(const Tensor& label, std::size_t sample, std::string_view metric);

// A label as one of `classes`. Throws DataError that names the sample within the batch, the label and the classes.
std::size_t label_class(const Tensor& label, std::size_t sample, std::size_t classes, std::string_view metric);

// Right answers out of all: exact, so that pieces add up to the whole.
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
  double value(std::string_view metric) const;  // throws DataError when nothing was counted
};

}  // namespace lpot
