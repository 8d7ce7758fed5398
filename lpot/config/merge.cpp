#include "lpot/config/merge.h"

#include <algorithm>

#include "lpot/config/normalize.h"
#include "lpot/config/yaml.h"
#include "lpot/core/text.h"

namespace lpot::yaml {
namespace {

bool has_repeated_names(const Node& map) {
  return std::any_of(map.items.begin(), map.items.end(),
                     [&](const Node& item) { return find(map, item.key) != &item; });
}

// Whether `later` changes parameters of the components of `base`. Otherwise it names other components. In a pipeline,
// `later` must name one component, or all of them in the same order: a shorter list is another pipeline.
bool names_same_components(const Node& base, const Node& later, bool is_pipeline) {
  if (has_repeated_names(base) || has_repeated_names(later)) return false;
  if (is_pipeline && later.items.size() > 1)
    return std::equal(base.items.begin(), base.items.end(), later.items.begin(), later.items.end(),
                      [](const Node& a, const Node& b) { return a.key == b.key; });
  return std::all_of(later.items.begin(), later.items.end(), [&](const Node& item) { return find(base, item.key); });
}

bool replaces(const Node& base, const Node& later, const Path& path) {
  if (!base.is_map() || !later.is_map()) return true;
  if (names_components(path)) return !names_same_components(base, later, path.back() == "transform");
  if (!matches(path, "tuning.strategy")) return false;
  const Node* name = find(later, "name");
  const Node* earlier = find(base, "name");
  return name && earlier && !same(*name, *earlier);
}

// A later `absolute` replaces an earlier `relative`, and vice versa.
void drop_other_criterion(Node& base, const Node& later) {
  const auto is_tolerance = [](const Node& item) { return item.key == "relative" || item.key == "absolute"; };
  if (std::any_of(later.items.begin(), later.items.end(), is_tolerance)) std::erase_if(base.items, is_tolerance);
}

void merge_at(Node& base, const Node& later, Path& path) {
  if (later.is_null() && base.is_map()) return;
  if (replaces(base, later, path)) {
    base = later;
    return;
  }
  if (matches(path, "tuning.accuracy_criterion")) drop_other_criterion(base, later);
  for (const Node& item : later.items) {
    Node* earlier = find(base, item.key);
    path.push_back(item.key);
    if (earlier) {
      merge_at(*earlier, item, path);
    } else {
      base.items.push_back(item);
    }
    path.pop_back();
  }
}

}  // namespace

Node merge(Node base, const Node& later) {
  Path path;
  merge_at(base, later, path);
  return base;
}

Node parse_override(const std::string& text) {
  const std::string name = "--set " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) fail({name, 0}, "", "expected key=value, such as tuning.random_seed=1");
  Path path = split(text.substr(0, equals), '.');
  for (std::string& key : path) {
    key = trim(key);
    if (key.empty()) fail({name, 0}, "", "empty key; expected key=value, such as tuning.random_seed=1");
  }
  Node node = parse_value(text.substr(equals + 1), name);
  node.place = {name, 0};
  for (auto key = path.rbegin(); key != path.rend(); ++key) {
    node.key = *key;
    node = {.kind = Node::Kind::Map, .items = {std::move(node)}, .place = {name, 0}};
  }
  return node;
}

}  // namespace lpot::yaml
