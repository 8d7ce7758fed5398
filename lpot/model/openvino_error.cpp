#include "lpot/model/openvino_error.h"

#include <regex>
#include <sstream>

#include "lpot/core/text.h"

namespace lpot {
namespace {

constexpr std::size_t kLongest = 400;

// "Exception from src/inference/src/cpp/core.cpp:92:" and "Check 'x' failed at src/a.hpp:12:" say where, not what; they
// also stand in the middle of a line.
std::string without_source_positions(const std::string& line) {
  static const std::regex kPosition(
      R"((Exception from|Check '[^']*'( failed at)?|failed at) +[\w./-]+\.[ch]pp:\d+:? *)");
  return trim(std::regex_replace(line, kPosition, ""));
}

}  // namespace

std::string shorten_openvino_message(std::string_view message) {
  std::istringstream lines{std::string(message)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    line = without_source_positions(trim(line));
    if (line.empty()) continue;
    if (!result.empty()) result += result.ends_with(':') ? " " : "; ";
    result += line;
  }
  if (result.size() > kLongest) {
    result.resize(kLongest);
    result += "...";
  }
  return result;
}

}  // namespace lpot
