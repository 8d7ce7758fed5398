// Values of keys, checked against what the keys allow.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lpot/config/keys.h"
#include "lpot/config/node.h"

namespace lpot::yaml {

// The values of all keys in a map, defaults filled in; keys of shape Section or Named are only checked for their names.
// `path` is the map's dotted key. Throws ConfigError for unknown, repeated, missing and wrong ones.
Parameters read_values(const Node& map, const std::string& path, const std::vector<Key>& keys);

// One value. Throws ConfigError "expected a number in 0..1, got 'abc'".
Value read_value(const Node&, const std::string& path, const Key&);

// Whether a scalar says the same as `word`: 'True' and 'true', '1.0' and '1'.
bool says(const Node& scalar, const std::string& word);

// A list's items, or the pieces of a text such as "a, b" or "0.5 0.5", each with the place of the whole.
std::vector<Node> pieces(const Node&);

// A map of the keys of a section of the configuration, and the maps in it.
class Section {
 public:
  // `section` names the keys in the table, which must outlive the Section.
  Section(const KeyTable&, const Node& map, std::string path, std::string_view section);

  const Node* find(std::string_view key) const { return yaml::find(*node_, key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string path_of(const Node& entry) const { return yaml::path_of(path_, entry); }
  Section section(const std::string& key) const;  // an empty one when the user wrote nothing
  const KeyTable& keys() const { return *keys_; }

  const Parameters& values() const { return values_; }
  const Place& place() const { return place_; }  // of the nearest map that is written
  const std::string& path() const { return path_; }

 private:
  const KeyTable* keys_;
  const Node* node_;
  std::string path_;
  std::string_view name_;
  Place place_;
  Parameters values_;
};

}  // namespace lpot::yaml
