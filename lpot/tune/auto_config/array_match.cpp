#include "lpot/tune/auto_config/array_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/model/tensor_names.h"

namespace lpot {
namespace {

enum class Part { Training, Evaluation, Any };

// The words of a file name: "x_train.npy" has x and train.
std::vector<std::string> words_of(const std::filesystem::path& path) {
  std::vector<std::string> words(1);
  for (const char letter : lower(path.stem().string())) {
    if (std::isalnum(static_cast<unsigned char>(letter)))
      words.back() += letter;
    else
      words.emplace_back();
  }
  return words;
}

const std::set<std::string> kTrainingWords{"train", "training", "calib", "calibration"};
const std::set<std::string> kEvaluationWords{"test", "val", "valid", "validation", "dev", "eval", "evaluation"};

bool has_word(const NpyArray& array, const std::set<std::string>& wanted) {
  const std::vector<std::string> words = words_of(array.path);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return wanted.contains(word); });
}

Part part_of_array(const NpyArray& array) {
  if (has_word(array, kTrainingWords)) return Part::Training;
  if (has_word(array, kEvaluationWords)) return Part::Evaluation;
  return Part::Any;
}

// The words of a file name that are those of a part, or the others: "x_test.npy" has test and x.
std::vector<std::string> words_of_part(const NpyArray& array, bool of_part) {
  std::vector<std::string> words = words_of(array.path);
  std::erase_if(words, [&](const std::string& word) {
    return (kTrainingWords.contains(word) || kEvaluationWords.contains(word)) != of_part;
  });
  return words;
}

bool contains_labels(const NpyArray& array) {
  return has_word(array, {"y", "label", "labels", "target", "targets", "ytest", "ytrain"});
}

bool has_shape_of(const NpyArray& array, const Port& port) {
  if (array.shape.size() != port.shape.size()) return false;
  for (std::size_t i = 1; i < port.shape.size(); ++i)
    if (port.shape[i] >= 0 && static_cast<std::size_t>(port.shape[i]) != array.shape[i]) return false;
  return true;
}

bool has_type_of(const NpyArray& array, const Port& port) {
  const bool is_float = port.element_type.starts_with('f') || port.element_type.starts_with("bf");
  return is_float == !is_integer_type(array.type);
}

// The name of a file or an input in lower case, with "_" instead of all other characters.
std::string plain_name(const std::string& text) {
  std::string name = lower(text);
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
}

// The length of the name of the input if the file is named after it, apart from other words; else 0.
std::size_t matching_letters(const NpyArray& array, const Port& port) {
  const std::string name = plain_name(short_tensor_name(port.name));
  const std::string file = "_" + plain_name(array.path.stem().string()) + "_";
  const bool may_fit = port.shape.empty() || has_shape_of(array, port);  // without a shape, the rank is unknown
  return may_fit && file.find("_" + name + "_") != std::string::npos ? name.size() : 0;
}

using Arrays = std::vector<const NpyArray*>;

// The input with the longest name that the file is named after: "token_ids.npy" is not "ids". nullptr: none.
const Port* named_port(const NpyArray& array, const std::vector<Port>& inputs) {
  const auto longest = std::max_element(inputs.begin(), inputs.end(), [&](const Port& a, const Port& b) {
    return matching_letters(array, a) < matching_letters(array, b);
  });
  return longest != inputs.end() && matching_letters(array, *longest) > 0 ? &*longest : nullptr;
}

// The first of arrays that differ only in the words of their parts, as x_test and x_val do. nullptr: none, or others
// fit too.
const NpyArray* only_array(const Arrays& arrays) {
  const bool is_clear = std::all_of(arrays.begin(), arrays.end(), [&](const NpyArray* array) {
    return words_of_part(*array, false) == words_of_part(*arrays.front(), false);
  });
  return arrays.empty() || !is_clear ? nullptr : arrays.front();
}

// The file of each input, in their order: by name, else by shape and type. Nothing if an input has none, or several.
std::optional<Arrays> find_arrays_of(const Arrays& arrays, const std::vector<Port>& inputs) {
  Arrays unnamed, found;
  for (const NpyArray* array : arrays)
    if (!named_port(*array, inputs)) unnamed.push_back(array);
  for (const Port& port : inputs) {
    Arrays fitting;
    for (const NpyArray* array : arrays)
      if (named_port(*array, inputs) == &port) fitting.push_back(array);
    if (!fitting.empty()) {
      // The name alone comes before names with more words.
      std::stable_sort(fitting.begin(), fitting.end(), [](const NpyArray* a, const NpyArray* b) {
        return words_of_part(*a, false).size() < words_of_part(*b, false).size();
      });
      found.push_back(fitting.front());
      continue;
    }
    for (const NpyArray* array : unnamed)
      if (has_shape_of(*array, port) && has_type_of(*array, port)) fitting.push_back(array);
    if (fitting.empty() && inputs.size() == 1 && arrays.size() == 1) fitting = arrays;
    const NpyArray* only = only_array(fitting);
    if (!only) return std::nullopt;
    std::erase(unnamed, only);
    found.push_back(only);
  }
  return found;
}

struct MatchedPart {
  std::string dataset;  // "": some inputs have no file
  bool has_labels = false;
};

MatchedPart match_part(const std::vector<NpyArray>& arrays, const std::vector<Port>& inputs, Part part) {
  Arrays data, labels;
  for (const NpyArray& array : arrays)
    if (part_of_array(array) == part) (contains_labels(array) ? labels : data).push_back(&array);
  const auto found = find_arrays_of(data, inputs);
  if (!found) return {};
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    pairs.push_back(fmt::format("{}: {}", yaml_text(inputs[i].name), yaml_text((*found)[i]->path.string())));
  if (labels.empty()) return {fmt::format("npy: {{inputs: {{{}}}}}", fmt::join(pairs, ", "))};
  // The labels of x_test are y_test, not y_val.
  const auto same_part = std::find_if(labels.begin(), labels.end(), [&](const NpyArray* array) {
    return words_of_part(*array, true) == words_of_part(*found->front(), true);
  });
  const NpyArray& of_data = same_part == labels.end() ? *labels.front() : **same_part;
  return {fmt::format("npy: {{inputs: {{{}}}, labels: {}}}", fmt::join(pairs, ", "), yaml_text(of_data.path.string())),
          true};
}

}  // namespace

ArrayData match_arrays(const std::vector<NpyArray>& arrays, const std::vector<Port>& inputs) {
  const MatchedPart training = match_part(arrays, inputs, Part::Training);
  MatchedPart evaluation = match_part(arrays, inputs, Part::Evaluation);
  if (evaluation.dataset.empty()) evaluation = match_part(arrays, inputs, Part::Any);
  if (!evaluation.dataset.empty()) return {evaluation.dataset, training.dataset, evaluation.has_labels};
  if (!training.dataset.empty()) return {training.dataset, "", training.has_labels};
  std::vector<std::string> files, ports;
  for (const NpyArray& array : arrays)
    files.push_back(
        fmt::format("{} {} {}", array.path.filename().string(), to_string(array.type), to_string(array.shape)));
  for (const Port& port : inputs) ports.push_back(port.describe());
  throw DataError("data",
                  fmt::format("the .npy files do not fit the inputs of the model: found {}; expected one file with one "
                              "row per sample for each of {}. Name each file after its input",
                              fmt::join(files, ", "), fmt::join(ports, ", ")));
}

}  // namespace lpot
