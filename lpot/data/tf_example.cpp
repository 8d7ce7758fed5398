// The messages, with their field numbers:
//   Example { Features features = 1; }
//   Features { map<string, Feature> feature = 1; }             an entry has key = 1, value = 2
//   Feature { BytesList bytes = 1; FloatList floats = 2; Int64List ints = 3; }
//   each list { repeated value = 1; }                          numbers in one packed field or in one field each
#include "lpot/data/tf_example.h"

#include <optional>
#include <utility>

#include "lpot/core/error.h"
#include "lpot/proto/proto_reader.h"

namespace lpot {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

Feature parse_feature(ProtoReader lists) {
  Feature feature;
  while (lists.next())
    for (ProtoReader values = lists.message(); values.next();) {
      if (values.field() != 1) continue;
      if (lists.field() == 1) feature.texts.push_back(values.text());
      if (lists.field() == 2) append(feature.floats, values.floats());
      if (lists.field() == 3) append(feature.integers, values.integers());
    }
  return feature;
}

// If a key or value is repeated, the last one counts. Returns nothing if the key or the value is missing.
std::optional<std::pair<std::string, Feature>> parse_entry(ProtoReader entry) {
  std::optional<std::string_view> key;
  std::optional<ProtoReader> value;
  while (entry.next()) {
    if (entry.field() == 1 && entry.is_block()) key = entry.text();
    if (entry.field() == 2 && entry.is_block()) value = entry.message();
  }
  if (!key || !value) return std::nullopt;
  return std::pair(std::string(*key), parse_feature(*value));
}

std::map<std::string, Feature, std::less<>> parse_example(ProtoReader example) {
  std::map<std::string, Feature, std::less<>> found;
  while (example.next()) {
    if (example.field() != 1) continue;
    for (ProtoReader features = example.message(); features.next();) {
      if (features.field() != 1) continue;
      if (auto entry = parse_entry(features.message()))
        found.insert_or_assign(std::move(entry->first), std::move(entry->second));
    }
  }
  return found;
}

}  // namespace

Example::Example(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  try {
    features_ = parse_example(ProtoReader(bytes_));
  } catch (const DataError&) {
    throw DataError("parse", "the bytes are not a valid tf.train.Example; check the format of the file");
  }
}

const Feature& Example::operator[](std::string_view name) const {
  static const Feature kNone;
  const auto found = features_.find(name);
  return found == features_.end() ? kNone : found->second;
}

std::vector<std::string> Example::names() const {
  std::vector<std::string> names;
  for (const auto& [name, feature] : features_) names.push_back(name);
  return names;
}

}  // namespace lpot
