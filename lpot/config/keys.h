// The table of all YAML keys: type, default, range and a short description of each. The reader, the error messages and
// the documentation use it. Recipes declare their own keys (RecipeDeclaration).
//
//   for (const KeyInfo& key : config_keys(recipe_declarations())) std::cout << key.path << "\n";
//   // tuning.accuracy_criterion.relative
//
#pragma once
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/recipe.h"

namespace lpot {

// One key as the documentation lists it.
struct KeyInfo {
  std::string path;      // "tuning.accuracy_criterion.relative"; `*` stands for a name chosen by the user
  std::string expected;  // "a number in 0..1"
  std::string default_value;
  std::string summary;
};

// All keys, in the order of the documentation.
std::vector<KeyInfo> config_keys(const RecipeDeclarations&);

// A key that has no effect, or a value of a key that is not supported.
struct UnsupportedKey {
  std::string path;      // as in KeyInfo
  std::string value;     // "": every value except the default
  bool refused = false;  // an error; else a warning
  std::string reason;
};
std::vector<UnsupportedKey> unsupported_keys(const RecipeDeclarations&);

namespace yaml {

struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool below_high = false;  // `high` itself is outside
};

enum class KeyShape {
  Value,    // a value of type `value.kind`
  Section,  // a map with the keys of `section`
  Named,    // a map from names (ops, tensors, components) to maps with the keys of `section`, if it is not ""
};

struct Key {
  Parameter value;
  Limits limits = {};
  std::string hint = {};  // appended to the message about a value outside the limits
  KeyShape shape = KeyShape::Value;
  std::string section = {};
  std::vector<std::string> aliases = {};  // older names that are still accepted
};

// A key whose dotted path `from` is read as the key at `to`.
struct KeyMapping {
  std::string from, to;
};

class KeyTable {
 public:
  explicit KeyTable(const RecipeDeclarations&);

  // The keys of a section: "" (the top), "model", "dataloader", ...
  const std::vector<Key>& of(std::string_view section) const { return sections_.find(section)->second; }
  std::vector<KeyMapping> aliases() const;  // of all keys
  std::vector<KeyInfo> listed() const;      // in the order of the documentation

 private:
  std::map<std::string, std::vector<Key>, std::less<>> sections_;
};

// The expected value of a key, for messages: "a number in 0..1", "one of cpu, gpu".
std::string expected(const Key&);

}  // namespace yaml
}  // namespace lpot
