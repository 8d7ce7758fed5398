#include "lpot/model/openvino_error.h"

#include <sstream>

#include "lpot/core/text.h"

namespace lpot {
namespace {

constexpr std::size_t kLongest = 400;

// "Exception from src/inference/src/cpp/core.cpp:92:" and "Check 'x' failed at src/a.cpp:12:" say where, not what.
std::string without_source_position(const std::string& line) {
  if (!line.starts_with("Exception from ") && !line.starts_with("Check '")) return line;
  const auto position = line.find(".cpp:");
  if (position == std::string::npos) return line;
  const auto colon = line.find(':', position + 5);
  return colon == std::string::npos ? "" : trim(line.substr(colon + 1));
}

}  // namespace

std::string shorten_openvino_message(std::string_view message) {
  std::istringstream lines{std::string(message)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    line = without_source_position(trim(line));
    if (line.empty()) continue;
    if (!result.empty()) result += result.ends_with(':') ? " " : "; ";
    result += line;
  }
  if (result.size() > kLongest) result = result.substr(0, kLongest) + "...";
  return result;
}

}  // namespace lpot
