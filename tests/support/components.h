// Components as a configuration creates them: missing parameters have the defaults of the table.
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "lpot/core/component.h"

namespace lpot {

inline Value default_value(const Parameter& parameter) {
  const std::string& text = parameter.default_value;
  switch (parameter.kind) {
    case ValueKind::Flag:
      return text == "true";
    case ValueKind::Integer:
      return static_cast<std::int64_t>(std::stoll(text));
    case ValueKind::Number:
      return std::stod(text);
    case ValueKind::Text:
    case ValueKind::Path:
      return text;
    case ValueKind::TextList:
      if (text == "[]") return std::vector<std::string>{};
      [[fallthrough]];
    case ValueKind::IntegerList:
      if (text.find(',') == std::string::npos && text.size() > 2)
        return std::vector<std::int64_t>{std::stoll(text.substr(1))};
      [[fallthrough]];
    default:
      throw std::runtime_error(parameter.name + ": a default that this helper does not read: " + text);
  }
}

inline Component with_defaults(const Table& table, const std::string& name, std::map<std::string, Value> values) {
  const Entry* entry = find(table, name);
  if (!entry) throw std::runtime_error("no component " + name);
  for (const Parameter& parameter : entry->parameters)
    if (!values.contains(parameter.name) && !parameter.default_value.empty())
      values.emplace(parameter.name, default_value(parameter));
  return {name, Parameters(std::move(values)), {"conf.yaml", 7}};
}

}  // namespace lpot
