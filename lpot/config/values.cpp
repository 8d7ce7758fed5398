#include "lpot/config/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "lpot/config/yaml.h"
#include "lpot/core/text.h"

namespace lpot::yaml {
namespace {

std::optional<bool> to_flag(const std::string& text) {
  const std::string word = lower(text);
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

template <typename Numeric>
std::optional<Numeric> to_numeric(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Numeric number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> to_number(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const std::optional<double> number = to_numeric<double>(trim(text));
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return percent ? *number / 100 : *number;
}

[[noreturn]] void fail_value(const Node& node, const std::string& path, const Key& key, const std::string& hint = "") {
  fail(node.place, path, fmt::format("expected {}, got {}{}", expected(key), describe_node(node), hint));
}

void check_choice(const Node& node, const std::string& path, const Key& key) {
  const auto& choices = key.value.choices;
  if (choices.empty()) return;
  if (std::none_of(choices.begin(), choices.end(),
                   [&](const std::string& choice) { return equals_word(node, choice); }))
    fail_value(node, path, key, to_number(node.text) ? "" : did_you_mean(node.text, choices));
}

// The choice as spelled in the key table, so that later code sees 'cpu' when the user wrote 'CPU'.
std::string canonical_choice(const Node& node, const Key& key) {
  for (const std::string& choice : key.value.choices)
    if (equals_word(node, choice)) return choice;
  return node.text;
}

void check_limits(const Node& node, const std::string& path, const Key& key, double number) {
  const Limits& limits = key.limits;
  const bool above = limits.below_high ? number >= limits.high : number > limits.high;
  if (number < limits.low || above) fail_value(node, path, key, key.hint);
}

std::int64_t read_integer(const Node& node, const std::string& path, const Key& key) {
  const auto number = node.is_scalar() ? to_numeric<std::int64_t>(node.text) : std::nullopt;
  if (!number) fail_value(node, path, key);
  check_choice(node, path, key);
  check_limits(node, path, key, static_cast<double>(*number));
  return *number;
}

double read_number(const Node& node, const std::string& path, const Key& key) {
  const auto number = node.is_scalar() ? to_number(node.text) : std::nullopt;
  if (!number) fail_value(node, path, key);
  check_choice(node, path, key);
  check_limits(node, path, key, *number);
  return *number;
}

bool read_flag(const Node& node, const std::string& path, const Key& key) {
  const auto flag = node.is_scalar() ? to_flag(node.text) : std::nullopt;
  if (!flag) fail_value(node, path, key);
  return *flag;
}

std::string read_text_value(const Node& node, const std::string& path, const Key& key) {
  const bool may_be_empty = key.value.kind != ValueKind::Path && !key.value.required;
  if (!node.is_scalar() || (node.text.empty() && !may_be_empty)) fail_value(node, path, key);
  check_choice(node, path, key);
  return canonical_choice(node, key);
}

// Reads one element of a list of strings. A nested list is read as one string: [[8,3],[8]] becomes "[8, 3]", "[8]".
std::string read_element(const Node& node, const std::string& path, const Key& key) {
  if (!node.is_list()) return read_text_value(node, path, key);
  std::vector<std::string> texts;
  for (const Node& item : node.items) texts.push_back(read_text_value(item, path, key));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

template <typename Read>
auto read_list(const Node& node, const std::string& path, const Key& key, Read read) {
  if (node.is_null() || node.is_map()) fail_value(node, path, key);
  const std::vector<Node> items = list_items(node);
  if (items.empty() && !key.value.choices.empty()) fail_value(node, path, key);
  std::vector<decltype(read(node, path, key))> values;
  for (const Node& item : items) values.push_back(read(item, path, key));
  return values;
}

std::map<std::string, std::string> read_text_map(const Node& node, const std::string& path, const Key& key) {
  if (!node.is_map()) fail_value(node, path, key);
  std::map<std::string, std::string> values;
  for (const Node& item : node.items) {
    if (!item.is_scalar()) fail(item.place, path_of(path, item), "expected a string, got " + describe_node(item));
    values[item.key] = item.text;
  }
  return values;
}

std::vector<std::string> names_of(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.value.name);
  return names;
}

[[noreturn]] void fail_map(const Node& node, const std::string& path, const std::vector<Key>& keys) {
  const bool lacks_space = node.is_scalar() && node.text.find(':') != std::string::npos;
  fail(node.place, path,
       fmt::format("expected a map of keys ({}), got {}{}", fmt::join(names_of(keys), ", "), describe_node(node),
                   lacks_space ? " (write a space after ':')" : ""));
}

void check_names(const Node& map, const std::string& path, const std::vector<Key>& keys) {
  const std::vector<std::string> known = names_of(keys);
  for (const Node& item : map.items) {
    if (std::find(known.begin(), known.end(), item.key) == known.end())
      fail(item.place, path_of(path, item),
           known.empty() ? "unknown key; expected no parameters"
                         : fmt::format("unknown key{}; expected one of {}", did_you_mean(item.key, known),
                                       fmt::join(known, ", ")));
    const Node* first = find(map, item.key);
    if (first != &item)
      fail(item.place, path_of(path, item), "duplicate key; first defined at " + to_string(first->place));
  }
}

}  // namespace

bool equals_word(const Node& scalar, const std::string& word) {
  if (!scalar.is_scalar()) return false;
  if (lower(scalar.text) == lower(word)) return true;
  if (const auto flag = to_flag(word)) return to_flag(scalar.text) == flag;
  const auto number = to_number(word);
  return number && to_number(scalar.text) == number;
}

std::vector<Node> list_items(const Node& node) {
  if (!node.is_scalar()) return node.items;
  std::string text = trim(node.text);
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  const bool by_comma = text.find(',') != std::string::npos;
  std::vector<Node> found;
  for (const std::string& part : split(text, by_comma ? ',' : ' ')) {
    Node piece = node;
    piece.text = trim(part);
    if (!piece.text.empty()) found.push_back(std::move(piece));
  }
  return found;
}

Value read_value(const Node& node, const std::string& path, const Key& key) {
  switch (key.value.kind) {
    case ValueKind::Flag:
      return read_flag(node, path, key);
    case ValueKind::Integer:
      return read_integer(node, path, key);
    case ValueKind::Number:
      return read_number(node, path, key);
    case ValueKind::Text:
    case ValueKind::Path:
      return read_text_value(node, path, key);
    case ValueKind::IntegerList:
      return read_list(node, path, key, read_integer);
    case ValueKind::NumberList:
      return read_list(node, path, key, read_number);
    case ValueKind::TextList:
      return read_list(node, path, key, read_element);
    case ValueKind::TextMap:
      break;
  }
  return read_text_map(node, path, key);
}

Parameters read_values(const Node& map, const std::string& path, const std::vector<Key>& keys) {
  if (!map.is_map() && !map.is_null()) fail_map(map, path, keys);
  check_names(map, path, keys);
  std::map<std::string, Value> values;
  for (const Key& key : keys) {
    if (key.shape != KeyShape::Value) continue;
    const std::string& name = key.value.name;
    const std::string place = fmt::format("{}.{}", path, name);
    if (const Node* node = find(map, name)) {
      values[name] = read_value(*node, path_of(path, *node), key);
    } else if (key.value.required) {
      fail(map.place, place, fmt::format("missing; expected {} ({})", expected(key), key.value.summary));
    } else if (!key.value.default_value.empty()) {
      values[name] = read_value(parse_value(key.value.default_value, "default"), place, key);
    }
  }
  return Parameters(std::move(values));
}

Section::Section(const KeyTable& keys, const Node& map, std::string path, std::string_view section)
    : keys_(&keys),
      node_(&map),
      path_(std::move(path)),
      name_(section),
      place_(map.place),
      values_(read_values(map, path_, keys.of(section))) {}

Section Section::section(const std::string& key) const {
  static const Node kEmpty{.kind = Node::Kind::Map};
  const auto& keys = keys_->of(name_);
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& entry) { return entry.value.name == key; });
  if (const Node* written = find(key)) return Section(*keys_, *written, path_of(*written), found->section);
  Section empty(*keys_, kEmpty, yaml::path_of(path_, {.key = key}), found->section);
  empty.place_ = place_;
  return empty;
}

}  // namespace lpot::yaml
