#include "lpot/core/component.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::array<std::string_view, 9> kKinds{
    "true or false",      "an integer",        "a number",          "a string",        "a path",
    "a list of integers", "a list of numbers", "a list of strings", "a map of strings"};

std::string describe_value(const Value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "unset";
        } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
          std::string joined;
          for (const auto& [key, text] : held) joined += fmt::format("{}{}: {}", joined.empty() ? "" : ", ", key, text);
          return "{" + joined + "}";
        } else if constexpr (requires { held.begin()->length(); } ||
                             (requires { held.size(); } && !std::is_same_v<T, std::string>)) {
          return fmt::format("[{}]", fmt::join(held, ", "));
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

}  // namespace

std::string to_string(const Place& place) {
  return place.line > 0 ? fmt::format("{}:{}", place.file, place.line) : place.file;
}

std::string_view to_string(ValueKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const Entry* find(const Table& table, std::string_view name) {
  for (const Entry& entry : table)
    if (entry.name == name) return &entry;
  return nullptr;
}

template <typename T>
const T& Parameters::get(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw ConfigError("parameters", fmt::format("'{}' is not set", name));
  const T* value = std::get_if<T>(&found->second);
  if (!value)
    throw ConfigError("parameters",
                      fmt::format("'{}' is {}, which has the wrong type", name, describe_value(found->second)));
  return *value;
}

template const bool& Parameters::get(const std::string&) const;
template const std::int64_t& Parameters::get(const std::string&) const;
template const double& Parameters::get(const std::string&) const;
template const std::string& Parameters::get(const std::string&) const;
template const std::vector<std::int64_t>& Parameters::get(const std::string&) const;
template const std::vector<double>& Parameters::get(const std::string&) const;
template const std::vector<std::string>& Parameters::get(const std::string&) const;
template const std::map<std::string, std::string>& Parameters::get(const std::string&) const;

std::string Parameters::describe() const {
  std::string joined;
  for (const auto& [name, value] : values_)
    joined += fmt::format("{}{}={}", joined.empty() ? "" : ", ", name, describe_value(value));
  return joined;
}

}  // namespace lpot
