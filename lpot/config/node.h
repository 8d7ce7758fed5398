// A YAML document as a tree of values. Each value knows its file and line.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/component.h"

namespace lpot::yaml {

struct Node {
  enum class Kind { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  std::string text = {};           // of a scalar
  bool quoted = false;             // the scalar was written in quotes
  std::vector<Node> items = {};    // of a list, or of a map in written order
  std::string key = {};            // of an entry of a map
  Place place = {};                // of the key if there is one, else of the value
  std::string original_path = {};  // the dotted key in the user's file if normalize() moved the node, else ""

  bool is_null() const { return kind == Kind::Null; }
  bool is_scalar() const { return kind == Kind::Scalar; }
  bool is_list() const { return kind == Kind::List; }
  bool is_map() const { return kind == Kind::Map; }
};

// The keys from the top of the document to a node.
using Path = std::vector<std::string>;

// The first entry of a map with that key, or nullptr.
const Node* find(const Node& map, std::string_view key);
Node* find(Node& map, std::string_view key);

// Whether two nodes have the same content. Ignores their places.
bool same(const Node&, const Node&);

// The value for messages: 'abc', nothing, a list, a map.
std::string describe_node(const Node&);

// The keys or texts of a map's or list's items.
std::vector<std::string> names_of(const Node&);

// The dotted key of an entry of the map at `path`, as the user wrote it.
std::string path_of(const std::string& path, const Node& entry);

// Whether a path matches a dotted pattern. `*` matches one key, a leading `**` any number of keys.
bool matches(const Path&, std::string_view pattern);

std::vector<std::string> split(std::string_view text, char separator);

// Throws the ConfigError "[load_config] file:line: key: message".
[[noreturn]] void fail(const Place&, const std::string& key, const std::string& message);

}  // namespace lpot::yaml
