#include "lpot/config/components.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lpot/config/values.h"
#include "lpot/core/text.h"

namespace lpot::yaml {
namespace {

constexpr std::string_view kDefaultStrategy = "basic";

const Entry& look_up(const Catalogue& catalogue, const std::string& name, const Place& place, const std::string& path) {
  const Entry* entry = lpot::find(catalogue.table, name);
  if (!entry) {
    std::vector<std::string> known;
    for (const Entry& candidate : catalogue.table)
      if (candidate.refused.empty()) known.push_back(candidate.name);
    fail(place, path,
         fmt::format("unknown {} '{}'{}; expected one of {}", catalogue.noun, name, did_you_mean(name, known),
                     fmt::join(known, ", ")));
  }
  if (!entry->refused.empty()) fail(place, path, fmt::format("'{}' is not supported: {}", name, entry->refused));
  return *entry;
}

// Expands the shorthand `topk: 1` to `topk: {k: 1}`.
Node with_parameters(const Node& value, const std::string& path, const Entry& entry) {
  if (value.is_map() || value.is_null()) return value;
  if (entry.shorthand.empty())
    fail(value.place, path, fmt::format("expected a map of parameters, got {}", describe_node(value)));
  Node parameter = value;
  parameter.key = entry.shorthand;
  parameter.original_path = path;
  return {.kind = Node::Kind::Map, .items = {parameter}, .key = value.key, .place = value.place};
}

Component build_component(const Entry& entry, const Node& value, const std::string& path) {
  std::vector<Key> keys;
  for (const Parameter& parameter : entry.parameters) keys.push_back({.value = parameter});
  return {entry.name, read_values(with_parameters(value, path, entry), path, keys), value.place};
}

void check_map(const Node& map, const std::string& path, const Catalogue& catalogue) {
  if (!map.is_map())
    fail(map.place, path,
         fmt::format("expected the name of a {} and its parameters, got {}", catalogue.noun, describe_node(map)));
}

}  // namespace

std::vector<Component> read_components(const Node& map, const std::string& path, const Catalogue& catalogue) {
  check_map(map, path, catalogue);
  std::vector<Component> components;
  for (const Node& item : map.items) {
    const std::string item_path = path_of(path, item);
    components.push_back(build_component(look_up(catalogue, item.key, item.place, item_path), item, item_path));
  }
  return components;
}

Component read_one_component(const Node& map, const std::string& path, const Catalogue& catalogue) {
  check_map(map, path, catalogue);
  if (map.items.size() != 1)
    fail(map.place, path,
         fmt::format("expected one {}, got {}", catalogue.noun,
                     map.items.empty() ? "nothing" : fmt::format("{}", fmt::join(names_of(map), " and "))));
  return read_components(map, path, catalogue).front();
}

Component read_strategy(const Node& map, const std::string& path, const Catalogue& catalogue) {
  if (!map.is_map() && !map.is_null()) fail(map.place, path, fmt::format("expected a map, got {}", describe_node(map)));
  Node parameters = map;
  std::erase_if(parameters.items, [](const Node& item) { return item.key == "name"; });
  const Node* name = find(map, "name");
  if (!name)
    return build_component(look_up(catalogue, std::string(kDefaultStrategy), map.place, path), parameters, path);
  const std::string name_path = path_of(path, *name);
  if (!name->is_scalar()) fail(name->place, name_path, "expected the name of a strategy, got " + describe_node(*name));
  Component strategy = build_component(look_up(catalogue, name->text, name->place, name_path), parameters, path);
  strategy.place = name->place;
  return strategy;
}

}  // namespace lpot::yaml
