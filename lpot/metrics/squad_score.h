// Scores of answers to the questions of SQuAD v1.1, by the rules of its official evaluation script.
//
//   SquadScore score;
//   score.count("the Norse", {"Norse", "a Norseman"});
//   score.f1(), score.exact_match();   // 100, 100
//
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/metrics/sum.h"

namespace lpot {

// Lower case, without ASCII punctuation and the articles a, an, the; words separated by one space. UTF-8 in and out.
std::string normalize_answer(std::string_view);

// Harmonic mean of precision and recall over the words of two answers, 0..1; 0 for two answers without words.
double answer_f1(std::string_view given, std::string_view expected);

// Whether two answers are equal after normalization.
bool same_answer(std::string_view given, std::string_view expected);

// Means over questions, 0..100. Each answer is compared with the best matching expected answer.
class SquadScore {
 public:
  void count(std::string_view given, const std::vector<std::string>& expected);
  void count_unanswered() { ++questions_; }  // scores 0
  void merge(const SquadScore&);

  double f1() const;           // throws DataError when nothing was counted
  double exact_match() const;  // throws DataError when nothing was counted

 private:
  Sum f1_;
  std::int64_t exact_ = 0;
  std::int64_t questions_ = 0;
};

}  // namespace lpot
