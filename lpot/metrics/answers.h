// The predictions of a classifier and the expected classes, one pair per sample.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

struct Answer {
  std::optional<std::int64_t> given;  // empty: a score is NaN, which is never correct
  std::int64_t expected = 0;
};

struct Answers {
  std::vector<Answer> all;
  std::size_t classes = 0;  // number of classes of the first output; 0: unknown, because it contains classes
};

// The predictions of a batch. The first output of a sample has several scores (the class is that of the highest one,
// the first of equals), one integer (the class) or one score (class 1 above 0.5, else class 0). Labels are single
// integers. Throws DataError with the sample, the label and the classes.
Answers class_answers(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels, std::string_view metric);

// The number of samples for each pair (given, expected). An empty prediction counts as kNoAnswer.
class Confusion {
 public:
  static constexpr std::int64_t kNoAnswer = -1;

  void count(const Answer& answer) { ++counts_[{answer.given.value_or(kNoAnswer), answer.expected}]; }
  void add(const Confusion& other);
  bool empty() const { return counts_.empty(); }

  double accuracy() const;
  double f1(std::int64_t positive) const;  // 0 without a correct prediction
  double macro_f1() const;                 // mean over the predicted and expected classes
  double matthews() const;                 // Gorodkin's, for any number of classes; 0 if all predictions are one class

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> counts_;
};

}  // namespace lpot
