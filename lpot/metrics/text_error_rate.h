// The base of CER and WER: the edits between the texts of the model and the reference texts, divided by the length of
// the references, both summed over all samples.
//
//   const std::vector<int> given{1, 2, 4}, expected{1, 2, 3, 4};
//   const std::size_t edits = edit_distance<int>(given, expected);   // 1
//
// The first output has one text per sample (core/text_tensor.h), and so has the label. The postprocessing transform CTC
// makes texts from the scores of a recognizer. Without compare_label, the references are the texts of the fp32 model.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/metrics/kinds.h"

namespace lpot {

// The smallest number of insertions, deletions and substitutions that turn one sequence into the other (Levenshtein).
template <typename T>
std::size_t edit_distance(std::span<const T> given, std::span<const T> expected) {
  std::vector<std::size_t> row(expected.size() +
                               1);  // distances of the given items so far to the first k expected ones
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const T& item : given) {
    std::size_t diagonal = row[0]++;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const std::size_t substituted = diagonal + (item == expected[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({substituted, row[k] + 1, diagonal + 1});
    }
  }
  return row.back();
}

struct TextErrorOptions {
  bool compare_label = true;
  bool allow_empty = false;         // references without any text
  bool ignore_case = false;         // compare lower-case texts
  bool ignore_punctuation = false;  // leave out punctuation (Unicode categories P)
};

struct EditCounts {
  std::size_t edits = 0;
  std::size_t length = 0;  // of the reference
};

struct TextErrorRate {
  std::string_view name;  // of the metric
  EditCounts (*count)(std::u32string_view given, std::u32string_view expected);
};

std::unique_ptr<Metric> make_text_error_rate(const TextErrorRate&, const TextErrorOptions&);

// The parameters that both metrics have, and their values.
std::vector<Parameter> text_error_parameters();
TextErrorOptions text_error_options(const Parameters&);

// Without whitespace at both ends.
std::u32string_view stripped(std::u32string_view);

}  // namespace lpot
