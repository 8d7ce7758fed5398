#include "lpot/data/text/glue_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "lpot/core/error.h"
#include "lpot/data/text/tsv.h"

namespace lpot {

const std::vector<GlueTask>& glue_tasks() {
  using Labels = std::vector<std::string>;
  static const Labels kYesNo{"0", "1"}, kEntailment{"entailment", "not_entailment"},
      kMnli{"contradiction", "entailment", "neutral"};
  static const GlueColumns kSentence{2, 1};  // test files of one sentence: index, sentence
  static const GlueColumns kPair{4, 1, 2, 3}, kPairTest{3, 1, 2};
  static const GlueColumns kMnliTrain{12, 8, 9, 11}, kMnliDev{16, 8, 9, 15}, kMnliTest{10, 8, 9};
  static const std::vector<GlueTask> all{{"cola", kYesNo, {4, 3, {}, 1, false}, {4, 3, {}, 1, false}, kSentence},
                                         {"sst-2", kYesNo, {2, 0, {}, 1}, {2, 0, {}, 1}, kSentence},
                                         {"mrpc", kYesNo, {5, 3, 4, 0}, {5, 3, 4, 0}, {5, 3, 4}},
                                         {"sts-b", {}, {10, 7, 8, 9}, {10, 7, 8, 9}, {9, 7, 8}},
                                         {"qqp", kYesNo, {6, 3, 4, 5}, {6, 3, 4, 5}, kPairTest},
                                         {"mnli", kMnli, kMnliTrain, kMnliDev, kMnliTest, "_matched"},
                                         {"mnli-mm", kMnli, kMnliTrain, kMnliDev, kMnliTest, "_mismatched"},
                                         {"qnli", kEntailment, kPair, kPair, kPairTest},
                                         {"rte", kEntailment, kPair, kPair, kPairTest},
                                         {"wnli", kYesNo, kPair, kPair, kPairTest}};
  return all;
}

namespace {

bool is_label(const GlueTask& task, std::string_view text) {
  if (!task.labels.empty()) return std::find(task.labels.begin(), task.labels.end(), text) != task.labels.end();
  float value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

// Whether the first lines of a file have the columns and labels of the task. A header has no label.
bool has_format_of(const TsvFile& file, const GlueTask& task, const GlueColumns& columns) {
  constexpr std::size_t kLines = 100;
  const std::size_t start = columns.has_header ? 1 : 0;
  if (file.size() <= start || !columns.label) return false;
  for (std::size_t line = 0; line < std::min(file.size(), start + kLines); ++line) {
    const auto fields = file.fields(line);
    if (fields.size() != columns.count || is_label(task, fields[*columns.label]) != (line >= start)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> detect_glue_task(const std::filesystem::path& path) {
  const TsvFile file("GLUE", path);
  const GluePart part = part_of(path.filename().string());
  for (const GlueTask& task : glue_tasks())
    if (has_format_of(file, task, task.columns(part))) return task.name;
  return std::nullopt;
}

std::vector<std::string> glue_task_names() {
  std::vector<std::string> names;
  for (const GlueTask& task : glue_tasks()) names.push_back(task.name);
  return names;
}

const GlueTask& glue_task(std::string_view name) {
  const auto& all = glue_tasks();
  const auto found = std::find_if(all.begin(), all.end(), [&](const GlueTask& task) { return task.name == name; });
  if (found == all.end())
    throw ConfigError("GLUE",
                      fmt::format("task: expected one of {}, got '{}'", fmt::join(glue_task_names(), ", "), name));
  return *found;
}

std::string file_name(const GlueTask& task, GluePart part) {
  if (part == GluePart::Train) return "train.tsv";
  return (part == GluePart::Dev ? "dev" : "test") + task.suffix + ".tsv";
}

GluePart part_of(const std::string& file) {
  if (file.starts_with("train")) return GluePart::Train;
  if (file.starts_with("dev")) return GluePart::Dev;
  if (file.starts_with("test")) return GluePart::Test;
  throw DataError("GLUE",
                  fmt::format("{}: expected a file name that starts with train, dev or test, which determines its "
                              "columns",
                              file));
}

}  // namespace lpot
