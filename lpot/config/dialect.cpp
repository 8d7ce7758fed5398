#include "lpot/config/dialect.h"

#include <algorithm>
#include <array>
#include <optional>

namespace lpot::yaml {
namespace {

const std::array<KeyMove, 8> kMoves{{
    {"framework.name", "model.framework"},
    {"framework.inputs", "model.inputs"},
    {"framework.outputs", "model.outputs"},
    {"calibration", "quantization.calibration"},
    {"tuning.metric", "evaluation.accuracy.metric"},
    {"tuning.metrics", "evaluation.accuracy.metric"},
    {"tuning.timeout", "tuning.exit_policy.timeout"},
    {"tuning.max_trials", "tuning.exit_policy.max_trials"},
}};

constexpr std::array<std::string_view, 6> kComponents{
    "**.dataloader.dataset",      "**.dataloader.transform", "**.postprocess.transform",
    "evaluation.accuracy.metric", "tuning.metric",           "tuning.metrics"};

// A list of maps is one map; names in it may repeat, which whoever reads it allows or not.
void join_lists_of_maps(Node& node) {
  for (Node& item : node.items) join_lists_of_maps(item);
  const auto is_map = [](const Node& item) { return item.is_map(); };
  if (!node.is_list() || node.items.empty() || !std::all_of(node.items.begin(), node.items.end(), is_map)) return;
  std::vector<Node> joined;
  for (Node& item : node.items) std::move(item.items.begin(), item.items.end(), std::back_inserter(joined));
  node.kind = Node::Kind::Map;
  node.items = std::move(joined);
}

// `key: value` as a map of one entry.
Node map_of(std::string key, Node value) {
  Node map{.kind = Node::Kind::Map, .key = value.key, .place = value.place};
  value.key = std::move(key);
  map.items.push_back(std::move(value));
  return map;
}

Node component_without_parameters(const Node& name) { return {.key = name.text, .place = name.place}; }

// `dataset: dummy`, `metric: [topk, F1]`: names alone, as maps.
void name_components(Node& node) {
  if (node.is_scalar()) {
    node = {
        .kind = Node::Kind::Map, .items = {component_without_parameters(node)}, .key = node.key, .place = node.place};
  } else if (node.is_list()) {
    std::vector<Node> named;
    for (const Node& item : node.items) {
      if (!item.is_scalar() && !item.is_map()) return;
      if (item.is_scalar()) named.push_back(component_without_parameters(item));
      named.insert(named.end(), item.items.begin(), item.items.end());
    }
    node.kind = Node::Kind::Map;
    node.items = std::move(named);
  }
}

void expand_shorthands(Node& node, Path& path) {
  if (names_components(path)) return name_components(node);
  if (matches(path, "tuning.strategy") && node.is_scalar()) node = map_of("name", node);
  if (matches(path, "framework") && node.is_scalar()) node = map_of("name", node);
  for (Node& item : node.items) {
    path.push_back(item.key);
    if (node.is_map()) expand_shorthands(item, path);
    path.pop_back();
  }
}

// Removes a node and hands it out, if it is there.
std::optional<Node> take(Node& root, const Path& path) {
  Node* parent = &root;
  for (std::size_t i = 0; i + 1 < path.size() && parent; ++i) parent = find(*parent, path[i]);
  Node* found = parent ? find(*parent, path.back()) : nullptr;
  if (!found) return std::nullopt;
  Node taken = std::move(*found);
  parent->items.erase(parent->items.begin() + (found - parent->items.data()));
  return taken;
}

void put(Node& root, const Path& path, Node node) {
  Node* parent = &root;
  std::string dotted;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    Node* next = find(*parent, path[i]);
    if (!next) {
      parent->items.push_back({.kind = Node::Kind::Map, .key = path[i], .place = node.place});
      next = &parent->items.back();
    }
    dotted += (dotted.empty() ? "" : ".") + path[i];
    if (next->is_null()) next->kind = Node::Kind::Map;
    if (!next->is_map()) fail(next->place, dotted, "expected a map, got " + shown(*next));
    parent = next;
  }
  if (const Node* other = find(*parent, path.back())) {
    if (!same(*other, node))
      fail(node.place, node.written_as,
           "contradicts " + path_of(dotted, *other) + " at " + to_string(other->place) + ", keep one of the two");
    return;
  }
  node.key = path.back();
  parent->items.push_back(std::move(node));
}

void move_key(Node& root, const KeyMove& move) {
  std::optional<Node> node = take(root, split(move.from, '.'));
  if (!node) return;
  node->written_as = move.from;
  put(root, split(move.to, '.'), std::move(*node));
}

void check_framework_is_empty(Node& root) {
  const std::optional<Node> rest = take(root, {"framework"});
  if (!rest || rest->is_null()) return;
  if (!rest->is_map()) fail(rest->place, "framework", "expected a name such as pytorch, got " + shown(*rest));
  for (const Node& item : rest->items)
    fail(item.place, path_of("framework", item), "unknown key; known here: name, inputs, outputs");
}

}  // namespace

bool names_components(const Path& path) {
  return std::any_of(kComponents.begin(), kComponents.end(),
                     [&](std::string_view pattern) { return matches(path, pattern); });
}

Document normalise(Node document, const KeyTable& keys) {
  const Place start{document.place.file, 0};
  join_lists_of_maps(document);
  if (document.is_null()) fail(start, "", "is empty, expected keys such as model, quantization and tuning");
  if (!document.is_map())
    fail(start, "", "expected keys such as model, quantization and tuning, got " + shown(document));
  document.place = start;
  const bool ilit = find(document, "framework") || find(document, "calibration");
  Path path;
  expand_shorthands(document, path);
  for (const KeyMove& move : kMoves) move_key(document, move);
  for (const KeyMove& move : keys.aliases()) move_key(document, move);
  check_framework_is_empty(document);
  return {std::move(document), ilit};
}

}  // namespace lpot::yaml
