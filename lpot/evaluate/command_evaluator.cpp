#include <fmt/format.h>
#include <stdlib.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/core/process.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/model/save.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPlaceholder = "{model}";

fs::path create_temporary_folder() {
  std::string name = (fs::temp_directory_path() / "lpot-XXXXXX").string();
  if (!::mkdtemp(name.data()))
    throw StoreError(
        "evaluate",
        fmt::format("{}: cannot create a folder for the models to evaluate. Check TMPDIR and the free space.", name));
  return name;
}

std::string with_model(std::string command, const fs::path& model) {
  const std::string word = shell_quoted(model.string());
  for (std::size_t at = 0; (at = command.find(kPlaceholder, at)) != std::string::npos; at += word.size())
    command.replace(at, kPlaceholder.size(), word);
  return command;
}

}  // namespace

double parse_accuracy(const std::string& output) {
  const auto last = output.find_last_not_of(" \t\r\n");
  const std::string text = last == std::string::npos ? "" : output.substr(0, last + 1);
  const std::string line = text.substr(text.find_last_of('\n') + 1);
  const std::string word = line.substr(line.find_last_of(" \t=:") + 1);
  double value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || parsed.ec != std::errc() || parsed.ptr != word.data() + word.size())
    throw DataError(
        "evaluate",
        fmt::format("evaluation.accuracy.command: its last output line is '{}'; expected a line that ends with "
                    "the accuracy, for example 0.9173",
                    line));
  return value;
}

CommandEvaluator::CommandEvaluator(std::string command, bool passes_source)
    : command_(std::move(command)), passes_source_(passes_source), folder_(create_temporary_folder()) {}

CommandEvaluator::~CommandEvaluator() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Score CommandEvaluator::baseline(const Model& fp32, const Observer& observer) {
  return passes_source_ ? run(fs::absolute(fp32.source), observer) : score(fp32, observer);
}

Score CommandEvaluator::score(const Model& model, const Observer& observer) {
  save_model(model, folder_ / "model.xml");
  return run(folder_ / "model.xml", observer);
}

Score CommandEvaluator::run(const fs::path& model, const Observer& observer) const {
  const auto start = std::chrono::steady_clock::now();
  const std::string command = with_model(command_, model);
  observer.log(LogLevel::Debug, fmt::format("evaluate: {}", command));
  Process process({"/bin/sh", "-c", command});
  std::string output;
  while (const auto line = process.read_line(observer)) output += *line + '\n';
  if (const int code = process.wait(); code != 0)
    throw DataError(
        "evaluate",
        fmt::format("evaluation.accuracy.command: exit code {}; expected 0. The command was: {}", code, command));
  Score score;
  score.metrics = {{metric(), parse_accuracy(output)}};
  score.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return score;
}

}  // namespace lpot
