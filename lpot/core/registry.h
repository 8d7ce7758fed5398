// Tables of component types: the description of each type and the function that creates a component.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/error.h"
#include "lpot/core/text.h"

namespace lpot {

template <typename Made>
struct Kind {
  Entry entry;
  Made (*make)(const Component&) = nullptr;  // nullptr: entry.refused states why
};

template <typename Made>
Table table_of(const std::vector<Kind<Made>>& kinds) {
  Table table;
  for (const Kind<Made>& kind : kinds) table.push_back(kind.entry);
  return table;
}

// A ConfigError about a component, with its place in the user's file.
inline ConfigError config_error(const Component& component, std::string_view message) {
  const std::string place = component.place.file.empty() ? "" : to_string(component.place) + ": ";
  return ConfigError(component.name, place + std::string(message));
}

// Creates a component by its name. Messages use `noun`: "data set", "transform".
template <typename Made>
Made make_component(const std::vector<Kind<Made>>& kinds, const Component& component, std::string_view noun) {
  std::vector<std::string> names;
  for (const Kind<Made>& kind : kinds) {
    if (kind.entry.name != component.name) {
      names.push_back(kind.entry.name);
      continue;
    }
    if (!kind.entry.refused.empty()) throw config_error(component, kind.entry.refused);
    return kind.make(component);
  }
  throw config_error(component, fmt::format("unknown {}{}", noun, did_you_mean(component.name, names)));
}

}  // namespace lpot
