// What a classifier answers, and what it should have: one pair per sample.
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
  std::optional<std::int64_t> given;  // none: a score is not a number, which is never right
  std::int64_t expected = 0;
};

struct Answers {
  std::vector<Answer> all;
  std::size_t classes = 0;  // that the first output tells apart; 0: it holds classes themselves, of any number
};

// The answers of a batch, by what the first output holds for a sample: several scores (the class of the highest one,
// the first of equals), one whole number (the class itself) or one score (class 1 above 0.5, else class 0). Labels are
// single whole numbers. Throws DataError that names the sample, the label and the classes.
Answers class_answers(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels, std::string_view metric);

// How often each (given, expected) came. An answer that is none counts as kNoAnswer.
class Confusion {
 public:
  static constexpr std::int64_t kNoAnswer = -1;

  void count(const Answer& answer) { ++counts_[{answer.given.value_or(kNoAnswer), answer.expected}]; }
  void add(const Confusion& other);
  bool empty() const { return counts_.empty(); }

  double accuracy() const;
  double f1(std::int64_t positive) const;  // 0 without any right answer
  double macro_f1() const;                 // mean over the classes that were given or expected
  double matthews() const;                 // Gorodkin's, for any number of classes; 0 when all answers are one class

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> counts_;
};

}  // namespace lpot
