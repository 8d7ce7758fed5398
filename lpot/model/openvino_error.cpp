#include "lpot/model/openvino_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <regex>
#include <sstream>
#include <system_error>

#include "lpot/core/text.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxLength = 400;

// Removes "Exception from src/inference/src/cpp/core.cpp:92:" and "Check 'x' failed at src/a.hpp:12:", which also occur
// in the middle of a line.
std::string without_source_positions(const std::string& line) {
  static const std::regex kPosition(
      R"((Exception from|Check '[^']*'( failed at)?|failed at) +[\w./-]+\.[ch]pp:\d+:? *)");
  return trim(std::regex_replace(line, kPosition, ""));
}

}  // namespace

std::string shorten_openvino_message(std::string_view message) {
  std::istringstream lines{std::string(message)};
  std::string result, last;
  for (std::string line; std::getline(lines, line);) {
    line = trim(line);
    if (!line.empty()) last = line;
    line = without_source_positions(line);
    if (line.empty()) continue;
    if (!result.empty()) result += result.ends_with(':') ? " " : "; ";
    result += line;
  }
  if (result.empty()) result = last;
  if (result.size() > kMaxLength) {
    result.resize(kMaxLength);
    result += "...";
  }
  return result;
}

bool is_out_of_memory(const std::exception& error) {
  // Texts of OpenVINO, oneDNN, TBB and the system. A thread cannot start if there is no memory for its stack, and a
  // library that is loaded late cannot be mapped.
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"bad_alloc", "can't alloc", "Cannot allocate memory", "cannot allocate memory", "out of memory",
       "ailed to allocate", "Resource temporarily unavailable", "failed to map segment", "cannot map zero-fill pages"});
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  const bool is_system = system && (system->code().value() == ENOMEM || system->code().value() == EAGAIN);
  const std::string_view message = error.what();
  return dynamic_cast<const std::bad_alloc*>(&error) || is_system ||
         std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

void rethrow_out_of_memory(const std::exception& error) {
  if (is_out_of_memory(error)) throw std::bad_alloc();
}

}  // namespace lpot
