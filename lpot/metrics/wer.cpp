// Word error rate: edits of words divided by the words of the references. Words are separated by whitespace, as in
// jiwer.
#include "lpot/core/unicode.h"
#include "lpot/metrics/text_error_rate.h"

namespace lpot {
namespace {

std::vector<std::u32string_view> words_of(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  for (text = stripped(text); !text.empty(); text = stripped(text)) {
    std::size_t end = 0;
    while (end < text.size() && !is_space(text[end])) ++end;
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

EditCounts count_words(std::u32string_view given, std::u32string_view expected) {
  const std::vector<std::u32string_view> words = words_of(given), wanted = words_of(expected);
  return {edit_distance<std::u32string_view>(words, wanted), wanted.size()};
}

constexpr TextErrorRate kWer{"WER", count_words};

}  // namespace

MetricKind wer_metric() {
  return {
      {.name = "WER",
       .summary = "word error rate of texts: edits divided by the words of the references; lower is better",
       .parameters = text_error_parameters()},
      [](const Component& component) { return make_text_error_rate(kWer, text_error_options(component.parameters)); }};
}

}  // namespace lpot
