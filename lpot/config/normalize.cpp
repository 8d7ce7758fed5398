#include "lpot/config/normalize.h"

#include <algorithm>
#include <array>
#include <optional>

namespace lpot::yaml {
namespace {

const std::array<KeyMapping, 8> kMoves{{
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

// Converts a list of maps to one map. Its keys may repeat; the reader of the map checks whether that is allowed.
void merge_lists_of_maps(Node& node) {
  for (Node& item : node.items) merge_lists_of_maps(item);
  const auto is_map = [](const Node& item) { return item.is_map(); };
  if (!node.is_list() || node.items.empty() || !std::all_of(node.items.begin(), node.items.end(), is_map)) return;
  std::vector<Node> joined;
  for (Node& item : node.items) std::move(item.items.begin(), item.items.end(), std::back_inserter(joined));
  node.kind = Node::Kind::Map;
  node.items = std::move(joined);
}

// Wraps a value into the map {key: value}.
Node single_entry_map(std::string key, Node value) {
  Node map{.kind = Node::Kind::Map, .key = value.key, .place = value.place};
  value.key = std::move(key);
  map.items.push_back(std::move(value));
  return map;
}

Node component_without_parameters(const Node& name) { return {.key = name.text, .place = name.place}; }

// Expands names without parameters to maps: `dataset: dummy`, `metric: [topk, F1]`.
void expand_component_names(Node& node) {
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
  if (names_components(path)) return expand_component_names(node);
  if (matches(path, "tuning.strategy") && node.is_scalar()) node = single_entry_map("name", node);
  if (matches(path, "framework") && node.is_scalar()) node = single_entry_map("name", node);
  for (Node& item : node.items) {
    path.push_back(item.key);
    if (node.is_map()) expand_shorthands(item, path);
    path.pop_back();
  }
}

// Removes the node at a path and returns it, if there is one.
std::optional<Node> extract(Node& root, const Path& path) {
  Node* parent = &root;
  for (std::size_t i = 0; i + 1 < path.size() && parent; ++i) parent = find(*parent, path[i]);
  Node* found = parent ? find(*parent, path.back()) : nullptr;
  if (!found) return std::nullopt;
  Node extracted = std::move(*found);
  parent->items.erase(parent->items.begin() + (found - parent->items.data()));
  return extracted;
}

void insert_at(Node& root, const Path& path, Node node) {
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
    if (!next->is_map()) fail(next->place, dotted, "expected a map, got " + describe_node(*next));
    parent = next;
  }
  if (const Node* other = find(*parent, path.back())) {
    if (!same(*other, node))
      fail(node.place, node.original_path,
           "conflicts with " + path_of(dotted, *other) + " at " + to_string(other->place) + ". Keep only one of them.");
    return;
  }
  node.key = path.back();
  parent->items.push_back(std::move(node));
}

void move_key(Node& root, const KeyMapping& move) {
  std::optional<Node> node = extract(root, split(move.from, '.'));
  if (!node) return;
  node->original_path = move.from;
  insert_at(root, split(move.to, '.'), std::move(*node));
}

void check_framework_is_empty(Node& root) {
  const std::optional<Node> rest = extract(root, {"framework"});
  if (!rest || rest->is_null()) return;
  if (!rest->is_map()) fail(rest->place, "framework", "expected a name such as pytorch, got " + describe_node(*rest));
  for (const Node& item : rest->items)
    fail(item.place, path_of("framework", item), "unknown key; expected one of name, inputs, outputs");
}

}  // namespace

bool names_components(const Path& path) {
  return std::any_of(kComponents.begin(), kComponents.end(),
                     [&](std::string_view pattern) { return matches(path, pattern); });
}

Document normalize(Node document, const KeyTable& keys) {
  const Place start{document.place.file, 0};
  merge_lists_of_maps(document);
  if (document.is_null()) fail(start, "", "the file is empty; expected keys such as model, quantization and tuning");
  if (!document.is_map())
    fail(start, "", "expected keys such as model, quantization and tuning, got " + describe_node(document));
  document.place = start;
  const bool ilit = find(document, "framework") || find(document, "calibration");
  Path path;
  expand_shorthands(document, path);
  for (const KeyMapping& move : kMoves) move_key(document, move);
  for (const KeyMapping& move : keys.aliases()) move_key(document, move);
  check_framework_is_empty(document);
  return {std::move(document), ilit};
}

}  // namespace lpot::yaml
