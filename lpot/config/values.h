// Reads the values of keys and checks them against the key table.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lpot/config/keys.h"
#include "lpot/config/node.h"

namespace lpot::yaml {

// Reads the values of all keys in a map and fills in defaults. For keys of shape Section or Named only the names are
// checked. `path` is the dotted key of the map. Throws ConfigError for unknown, duplicate, missing and invalid keys.
Parameters read_values(const Node& map, const std::string& path, const std::vector<Key>& keys);

// Reads one value. Throws ConfigError "expected a number in 0..1, got 'abc'".
Value read_value(const Node&, const std::string& path, const Key&);

// Whether a scalar has the same value as `word`: 'True' equals 'true', '1.0' equals '1'.
bool equals_word(const Node& scalar, const std::string& word);

// The items of a list. A scalar such as "a, b" or "0.5 0.5" is split into items; each gets the place of the scalar.
std::vector<Node> list_items(const Node&);

// One section of the configuration: its checked values and access to its subsections.
class Section {
 public:
  // `section` is the name of the section in the table. The table must outlive the Section.
  Section(const KeyTable&, const Node& map, std::string path, std::string_view section);

  const Node* find(std::string_view key) const { return yaml::find(*node_, key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string path_of(const Node& entry) const { return yaml::path_of(path_, entry); }
  Section section(const std::string& key) const;  // empty if it is not in the file
  const KeyTable& keys() const { return *keys_; }

  const Parameters& values() const { return values_; }
  const Place& place() const { return place_; }  // of this map, or of the nearest parent that is in the file
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
