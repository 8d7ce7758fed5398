// Character error rate: edits of characters (Unicode code points) divided by the characters of the references. As in
// jiwer, whitespace at both ends of a text does not count, and the rate of a text with many insertions is above 1.
#include "lpot/core/unicode.h"
#include "lpot/metrics/text_error_rate.h"

namespace lpot {
namespace {

EditCounts count_characters(std::u32string_view given, std::u32string_view expected) {
  given = stripped(given);
  expected = stripped(expected);
  return {edit_distance<char32_t>(given, expected), expected.size()};
}

std::u32string without_spaces(std::u32string_view text) {
  std::u32string result;
  for (const char32_t each : text)
    if (!is_space(each)) result.push_back(each);
  return result;
}

EditCounts count_visible(std::u32string_view given, std::u32string_view expected) {
  return count_characters(without_spaces(given), without_spaces(expected));
}

constexpr TextErrorRate kCer{"CER", count_characters};
constexpr TextErrorRate kCerWithoutSpaces{"CER", count_visible};

}  // namespace

MetricKind cer_metric() {
  std::vector<Parameter> parameters = text_error_parameters();
  parameters.push_back({.name = "ignore_spaces",
                        .kind = ValueKind::Flag,
                        .default_value = "false",
                        .summary = "leave out whitespace, as PaddleOCR does"});
  return {{.name = "CER",
           .summary = "character error rate of texts: edits divided by the characters of the references; lower is "
                      "better",
           .parameters = std::move(parameters)},
          [](const Component& component) {
            return make_text_error_rate(component.parameters.flag("ignore_spaces") ? kCerWithoutSpaces : kCer,
                                        text_error_options(component.parameters));
          }};
}

}  // namespace lpot
