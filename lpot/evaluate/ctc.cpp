// CTC converts scores of characters into texts by greedy decoding: the class with the highest score at each step, with
// repeats merged and blanks left out (Graves et al., Connectionist Temporal Classification, 2006).
//
// The classes of the model are the characters of the list in their order, then optionally a space, and the blank at its
// index. A step with NaN counts as blank.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/text_tensor.h"
#include "lpot/core/unicode.h"
#include "lpot/evaluate/postprocess_kinds.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr std::uint64_t kMaxListBytes = 16u << 20;

struct CharacterList {
  std::vector<std::string> characters;  // without the blank
  std::string origin;                   // for messages: the file or the key
  bool has_space = false;               // whether a space was appended
};

std::vector<std::string> lines_of(const Component& component, const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, kMaxListBytes);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto invalid = find_invalid_utf8(text))
    throw DataError(component.name, fmt::format("{}: byte {} is not UTF-8; expected one character per line. "
                                                "Convert the file to UTF-8",
                                                path, *invalid));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

CharacterList read_characters(const Component& component) {
  const Parameters& parameters = component.parameters;
  if (parameters.has("characters") == parameters.has("character_file"))
    throw config_error(component,
                       "expected either characters (a text) or character_file (a file with one character per line)");
  CharacterList list;
  if (parameters.has("characters")) {
    list.origin = "characters";
    const std::string& text = parameters.text("characters");
    for (CodePoints points(text); points.next();)
      list.characters.push_back(text.substr(points.begin(), points.end() - points.begin()));
  } else {
    list.origin = parameters.text("character_file");
    list.characters = lines_of(component, list.origin);
  }
  if (list.characters.empty()) throw DataError(component.name, fmt::format("{}: the list is empty", list.origin));
  if (parameters.has("word_separator"))
    for (std::string& character : list.characters)
      if (character == parameters.text("word_separator")) character = " ";
  list.has_space = parameters.flag("append_space");
  if (list.has_space) list.characters.emplace_back(" ");
  return list;
}

// The index of the blank among the classes.
std::size_t blank_index(const Component& component, std::size_t characters) {
  const std::string& text = component.parameters.text("blank");
  if (text == "first") return 0;
  if (text == "last") return characters;
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || stop != text.data() + text.size() || index > characters)
    throw config_error(component,
                       fmt::format("blank: expected first, last or a number from 0 to {}, got '{}'", characters, text));
  return index;
}

// Where samples, steps and classes are in the shape of an output.
struct Layout {
  std::string name;
  std::size_t sample = 0, step = 1, kind = 2;
};

Layout parse_layout(const std::string& name) { return {name, name.find('N'), name.find('T'), name.find('C')}; }

class Ctc : public Postprocess {
 public:
  Ctc(CharacterList list, std::size_t blank, Layout layout)
      : list_(std::move(list)), layout_(std::move(layout)), blank_(blank) {
    list_.characters.insert(list_.characters.begin() + static_cast<std::ptrdiff_t>(blank), "");
  }

  BatchResult apply(BatchResult batch) const override {
    const Tensor scores = scores_of(batch).converted(ElementType::F32);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < batch.labels.size(); ++i) texts.push_back(decode(scores, i));
    return {{to_text_tensor(texts)}, std::move(batch.labels)};
  }

 private:
  const Tensor& scores_of(const BatchResult& batch) const {
    std::vector<std::string> found;
    for (const Tensor& output : batch.outputs) {
      found.push_back(output.describe());
      if (output.shape().size() != 3 || output.shape()[layout_.sample] != batch.labels.size()) continue;
      check_classes(output);
      return output;
    }
    throw DataError("CTC", fmt::format("found the model outputs {} for {} samples; expected scores in the layout {} "
                                       "(N: samples, T: steps, C: characters). Set layout, or name the output in "
                                       "model.outputs",
                                       fmt::join(found, ", "), batch.labels.size(), layout_.name));
  }

  void check_classes(const Tensor& output) const {
    const std::size_t classes = output.shape()[layout_.kind], expected = list_.characters.size();
    if (classes == expected) return;
    const std::string hint = !list_.has_space && classes == expected + 1 ? " With append_space true, the numbers match."
                             : list_.has_space && classes + 1 == expected
                                 ? " With append_space false, the numbers match."
                                 : "";
    throw DataError("CTC",
                    fmt::format("{}: {} characters, {} the blank make {} classes; the output {} of the model has "
                                "{}. Use the character list of this model.{}",
                                list_.origin, expected - 1 - (list_.has_space ? 1 : 0),
                                list_.has_space ? "a space and" : "and", expected, output.describe(), classes, hint));
  }

  std::string decode(const Tensor& scores, std::size_t sample) const {
    const Shape& shape = scores.shape();
    const Shape strides{shape[1] * shape[2], shape[2], 1};
    const float* first = scores.data<float>() + sample * strides[layout_.sample];
    std::string text;
    std::size_t previous = blank_;
    std::vector<double> row(shape[layout_.kind]);
    for (std::size_t step = 0; step < shape[layout_.step]; ++step) {
      for (std::size_t k = 0; k < row.size(); ++k)
        row[k] = static_cast<double>(first[step * strides[layout_.step] + k * strides[layout_.kind]]);
      const std::size_t best = argmax(row).value_or(blank_);
      if (best != previous) text += list_.characters[best];
      previous = best;
    }
    return text;
  }

  CharacterList list_;  // with an empty text for the blank
  Layout layout_;
  std::size_t blank_;
};

}  // namespace

PostprocessKind ctc() {
  return {
      {.name = "CTC",
       .summary = "texts from scores of characters by greedy CTC decoding, for CER and WER",
       .parameters = {{.name = "character_file",
                       .kind = ValueKind::Path,
                       .summary = "file with one character per line, in the order of the classes, without the blank"},
                      {.name = "characters",
                       .kind = ValueKind::Text,
                       .summary = "the characters as one text, instead of a file"},
                      {.name = "blank",
                       .kind = ValueKind::Text,
                       .default_value = "first",
                       .summary = "class of the blank: first, last or its index"},
                      {.name = "append_space",
                       .kind = ValueKind::Flag,
                       .default_value = "false",
                       .summary = "the model has a class for the space after those of the list, as PaddleOCR's "
                                  "use_space_char"},
                      {.name = "word_separator",
                       .kind = ValueKind::Text,
                       .summary = "a character of the list that stands for a space: '|' for wav2vec"},
                      {.name = "layout",
                       .kind = ValueKind::Text,
                       .default_value = "NTC",
                       .summary = "dimensions of the output: samples (N), steps (T) and characters (C)",
                       .choices = {"NTC", "TNC", "NCT"}}}},
      [](const Component& component) -> std::shared_ptr<const Postprocess> {
        CharacterList list = read_characters(component);
        const std::size_t blank = blank_index(component, list.characters.size());
        return std::make_shared<Ctc>(std::move(list), blank, parse_layout(component.parameters.text("layout")));
      }};
}

}  // namespace lpot
