// Tables of named components (data sets, transforms, metrics, strategies) and what a config says of one.
//
// A registry is a constant Table; config checks names and parameters against it, help and docs print it, and the
// registry's factory gets a Component whose parameters are complete and of the right kind:
//
//   const Component component = parse_component("CIFAR10: {root: ./data}", datasets());
//   component.parameters.text("root");   // "./data"
//   component.parameters.flag("train");  // false, the default
//
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lpot {

// A place in the user's files. Line 0: not in a file (a default, or --set).
struct Place {
  std::string file;
  int line = 0;
};
std::string to_string(const Place&);  // "bert.yaml:14", or "bert.yaml" without a line

enum class ValueKind { Flag, Integer, Number, Text, Path, IntegerList, NumberList, TextList, TextMap };
std::string_view to_string(ValueKind);  // "true or false", "an integer", "a list of numbers", ...

using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>, std::map<std::string, std::string>>;

struct Parameter {
  std::string name;
  ValueKind kind = ValueKind::Text;
  std::string default_value = {};  // YAML text; empty: no default, the parameter stays unset
  bool required = false;
  std::string summary = {};
  std::vector<std::string> choices = {};  // allowed values; empty: any
};

struct Entry {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters = {};
  std::string shorthand = {};  // the parameter that a bare value sets: `topk: 1` is `topk: {k: 1}`
  std::string refused = {};    // why the component is not supported; empty: it is supported
};

using Table = std::vector<Entry>;

// The entry of that name or nullptr.
const Entry* find(const Table&, std::string_view name);

// Values by parameter name. The getters throw ConfigError if a value is not set or has another type.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::map<std::string, Value> values) : values_(std::move(values)) {}

  bool has(const std::string& name) const { return values_.contains(name); }
  bool flag(const std::string& name) const { return get<bool>(name); }
  std::int64_t integer(const std::string& name) const { return get<std::int64_t>(name); }
  double number(const std::string& name) const { return get<double>(name); }
  const std::string& text(const std::string& name) const { return get<std::string>(name); }  // Text and Path
  const std::vector<std::int64_t>& integers(const std::string& name) const {
    return get<std::vector<std::int64_t>>(name);
  }
  const std::vector<double>& numbers(const std::string& name) const { return get<std::vector<double>>(name); }
  const std::vector<std::string>& texts(const std::string& name) const { return get<std::vector<std::string>>(name); }
  const std::map<std::string, std::string>& text_map(const std::string& name) const {
    return get<std::map<std::string, std::string>>(name);
  }

  const std::map<std::string, Value>& all() const { return values_; }
  std::string describe() const;  // "root=./data, train=false"; used for identities and messages

 private:
  template <typename T>
  const T& get(const std::string& name) const;

  std::map<std::string, Value> values_;
};

struct Component {
  std::string name;
  Parameters parameters;
  Place place;
};

}  // namespace lpot
