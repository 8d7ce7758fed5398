// Every key of the YAML: its kind, default, range and one sentence. Reading, messages and documentation use it. The
// keys of recipes come from their declarations.
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

// One key as documentation shows it.
struct KeyInfo {
  std::string path;      // "tuning.accuracy_criterion.relative"; `*` stands for a name of the user's
  std::string expected;  // "a number in 0..1"
  std::string default_value;
  std::string summary;
};

// All keys, in the order of the documentation.
std::vector<KeyInfo> config_keys(const RecipeDeclarations&);

// A key, or one value of it, that is read but not carried out.
struct PendingKey {
  std::string path;      // as in KeyInfo
  std::string value;     // "": every value but the default
  bool refused = false;  // an error; else a warning
  std::string sentence;
};
std::vector<PendingKey> pending_keys(const RecipeDeclarations&);

namespace yaml {

struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool below_high = false;  // `high` itself is outside
};

enum class KeyShape {
  Value,    // read as `value.kind` says
  Section,  // a map with the keys of `section`
  Named,  // a map by the user's names (ops, tensors, components); each entry with the keys of `section` if there is one
};

struct Key {
  Parameter value;
  Limits limits = {};
  std::string hint = {};  // ends the message about a value outside the limits
  KeyShape shape = KeyShape::Value;
  std::string section = {};
  std::vector<std::string> aliases = {};  // older names, which stay accepted
};

// The key at one dotted path is read as the key at another.
struct KeyMove {
  std::string from, to;
};

class KeyTable {
 public:
  explicit KeyTable(const RecipeDeclarations&);

  // The keys of a section: "" (the top), "model", "dataloader", ...
  const std::vector<Key>& of(std::string_view section) const { return sections_.find(section)->second; }
  std::vector<KeyMove> aliases() const;  // of all keys
  std::vector<KeyInfo> listed() const;   // in the order of the documentation

 private:
  std::map<std::string, std::vector<Key>, std::less<>> sections_;
};

// What a value of the key must be: "a number in 0..1", "one of cpu, gpu".
std::string expected(const Key&);

}  // namespace yaml
}  // namespace lpot
