#include "lpot/tune/auto_config/array_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/text.h"

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

bool has_word(const NpyArray& array, const std::set<std::string>& wanted) {
  const std::vector<std::string> words = words_of(array.path);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return wanted.contains(word); });
}

Part part_of_array(const NpyArray& array) {
  if (has_word(array, {"train", "training", "calib", "calibration"})) return Part::Training;
  if (has_word(array, {"test", "val", "valid", "validation", "dev", "eval", "evaluation"})) return Part::Evaluation;
  return Part::Any;
}

bool contains_labels(const NpyArray& array) {
  return has_word(array, {"y", "label", "labels", "target", "targets", "ytest", "ytrain"});
}

bool has_shape_of(const NpyArray& array, const Port& port) {
  if (array.shape.size() != port.shape.size()) return false;
  for (std::size_t i = 1; i < port.shape.size(); ++i)
    if (port.shape[i] >= 0 && static_cast<std::size_t>(port.shape[i]) != array.shape[i]) return false;
  const bool is_float = port.element_type.starts_with('f') || port.element_type.starts_with("bf");
  return is_float == !is_integer_type(array.type);
}

// Whether the file is named after the input, apart from the word for its part.
bool is_named_after(const NpyArray& array, const Port& port) {
  const std::string file = lower(array.path.stem().string()), name = lower(port.name);
  return file == name || file.starts_with(name + "_") || file.ends_with("_" + name);
}

// The file of an input among those that are not used yet.
const NpyArray* find_array(const std::vector<const NpyArray*>& arrays, const Port& port, bool is_only_input) {
  const auto first = [&](const auto& accepts) -> const NpyArray* {
    const auto found = std::find_if(arrays.begin(), arrays.end(), accepts);
    return found == arrays.end() ? nullptr : *found;
  };
  if (const NpyArray* named = first([&](const NpyArray* array) { return is_named_after(*array, port); })) return named;
  if (const NpyArray* fitting = first([&](const NpyArray* array) { return has_shape_of(*array, port); }))
    return fitting;
  return is_only_input && arrays.size() == 1 ? arrays.front() : nullptr;
}

struct MatchedPart {
  std::string dataset;  // "": some inputs have no file
  bool has_labels = false;
};

MatchedPart match_part(const std::vector<NpyArray>& arrays, const std::vector<Port>& inputs, Part part) {
  std::vector<const NpyArray*> unused;
  const NpyArray* labels = nullptr;
  for (const NpyArray& array : arrays) {
    if (part_of_array(array) != part) continue;
    if (contains_labels(array))
      labels = &array;
    else
      unused.push_back(&array);
  }
  std::vector<std::string> pairs;
  for (const Port& port : inputs) {
    const NpyArray* found = find_array(unused, port, inputs.size() == 1);
    if (!found) return {};
    std::erase(unused, found);
    pairs.push_back(fmt::format("{}: {}", yaml_text(port.name), yaml_text(found->path.string())));
  }
  const std::string labels_text = labels ? ", labels: " + yaml_text(labels->path.string()) : "";
  return {fmt::format("npy: {{inputs: {{{}}}{}}}", fmt::join(pairs, ", "), labels_text), labels != nullptr};
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
                  fmt::format("the .npy files do not fit the inputs of the model: found {}; expected {}, one row per "
                              "sample. Name each file after its input",
                              fmt::join(files, ", "), fmt::join(ports, ", ")));
}

}  // namespace lpot
