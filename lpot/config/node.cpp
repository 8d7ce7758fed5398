#include "lpot/config/node.h"

#include <algorithm>
#include <utility>

#include "lpot/core/error.h"

namespace lpot::yaml {
namespace {

constexpr std::size_t kShownLength = 80;

}  // namespace

const Node* find(const Node& map, std::string_view key) {
  if (!map.is_map()) return nullptr;
  const auto found =
      std::find_if(map.items.begin(), map.items.end(), [&](const Node& item) { return item.key == key; });
  return found == map.items.end() ? nullptr : &*found;
}

Node* find(Node& map, std::string_view key) { return const_cast<Node*>(find(std::as_const(map), key)); }

bool same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size()) return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(),
                    [](const Node& left, const Node& right) { return left.key == right.key && same(left, right); });
}

std::string describe_node(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return "nothing";
    case Node::Kind::Scalar:
      return "'" + (node.text.size() > kShownLength ? node.text.substr(0, kShownLength) + "..." : node.text) + "'";
    case Node::Kind::List:
      return node.items.empty() ? "an empty list" : "a list";
    case Node::Kind::Map:
      break;
  }
  return "a map";
}

std::vector<std::string> names_of(const Node& node) {
  std::vector<std::string> names;
  for (const Node& item : node.items) names.push_back(node.is_map() ? item.key : item.text);
  return names;
}

std::string path_of(const std::string& path, const Node& entry) {
  if (!entry.original_path.empty()) return entry.original_path;
  return path.empty() ? entry.key : path + "." + entry.key;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

bool matches(const Path& path, std::string_view pattern) {
  Path wanted = split(pattern, '.');
  const bool any_prefix = wanted.front() == "**";
  if (any_prefix) wanted.erase(wanted.begin());
  if (any_prefix ? path.size() < wanted.size() : path.size() != wanted.size()) return false;
  return std::equal(wanted.rbegin(), wanted.rend(), path.rbegin(),
                    [](const std::string& word, const std::string& key) { return word == "*" || word == key; });
}

void fail(const Place& place, const std::string& key, const std::string& message) {
  std::string text = to_string(place);
  if (!key.empty()) text += ": " + key;
  throw ConfigError("load_config", text + ": " + message);
}

}  // namespace lpot::yaml
