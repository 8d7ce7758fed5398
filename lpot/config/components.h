// Reads data sets, transforms, metrics and strategies from YAML and checks them against their tables.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lpot/config/node.h"

namespace lpot::yaml {

// A table of components and the noun that messages use for them: "data set", "metric".
struct Catalogue {
  const Table& table;
  std::string_view noun;
};

// Reads each entry of a map (name: parameters) as a component, in written order. Throws ConfigError for unknown names
// and for parameters that the table does not allow.
std::vector<Component> read_components(const Node& map, const std::string& path, const Catalogue&);

// Reads a map with exactly one entry. Throws ConfigError if the map has no entry or several.
Component read_one_component(const Node& map, const std::string& path, const Catalogue&);

// Reads a strategy from a map with its name and its parameters: {name: tpe, accuracy_weight: 2}.
Component read_strategy(const Node& map, const std::string& path, const Catalogue&);

}  // namespace lpot::yaml
