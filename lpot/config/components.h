// Data sets, transforms, metrics and strategies as the user wrote them, checked against their tables.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lpot/config/node.h"

namespace lpot::yaml {

// What the components of a table are called, for messages: "data set", "metric".
struct Catalogue {
  const Table& table;
  std::string_view noun;
};

// Each entry of a map (name: parameters) as a component, in written order. Throws ConfigError for unknown names and for
// whatever the table does not allow.
std::vector<Component> read_components(const Node& map, const std::string& path, const Catalogue&);

// The only entry of a map. Throws ConfigError when there are none or several.
Component read_one_component(const Node& map, const std::string& path, const Catalogue&);

// From a map that holds the name beside the parameters: {name: tpe, accuracy_weight: 2}.
Component read_strategy(const Node& map, const std::string& path, const Catalogue&);

}  // namespace lpot::yaml
