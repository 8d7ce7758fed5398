// The messages, with their field numbers:
//   Example { Features features = 1; }
//   Features { map<string, Feature> feature = 1; }             an entry has key = 1, value = 2
//   Feature { BytesList bytes = 1; FloatList floats = 2; Int64List ints = 3; }
//   each list { repeated value = 1; }                          numbers packed into one field, or one a field
#include "lpot/data/tf_example.h"

#include <bit>
#include <cstring>

#include "lpot/core/error.h"

namespace lpot {
namespace {

using Bytes = std::span<const std::uint8_t>;

enum class Wire { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };

struct Field {
  std::uint64_t number = 0;
  Wire wire = Wire::Varint;
  std::uint64_t value = 0;  // of a Varint or Fixed32
  Bytes bytes;              // of a Length
};

// Takes the fields of a message off its bytes, one after the other.
class Fields {
 public:
  explicit Fields(Bytes bytes) : left_(bytes) {}
  bool done() const { return left_.empty(); }

  Field next() {
    const std::uint64_t tag = varint();
    Field field{tag >> 3, static_cast<Wire>(tag & 7), 0, {}};
    switch (field.wire) {
      case Wire::Varint:
        field.value = varint();
        return field;
      case Wire::Fixed64:
        take(8);
        return field;
      case Wire::Length:
        field.bytes = take(varint());
        return field;
      case Wire::Fixed32:
        field.value = fixed32(take(4));
        return field;
    }
    fail();
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = take(1)[0];
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    fail();
  }

  std::uint32_t fixed32() { return fixed32(take(4)); }

 private:
  [[noreturn]] static void fail() { throw DataError("parse", "no tf.train.Example, or a damaged one"); }

  static std::uint32_t fixed32(Bytes bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), 4);
    return value;
  }

  Bytes take(std::uint64_t count) {
    if (count > left_.size()) fail();
    const Bytes taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

  Bytes left_;
};

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void add_floats(const Field& field, std::vector<float>& to) {
  if (field.wire == Wire::Fixed32) to.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
  for (Fields packed(field.bytes); !packed.done();) to.push_back(std::bit_cast<float>(packed.fixed32()));
}

void add_integers(const Field& field, std::vector<std::int64_t>& to) {
  if (field.wire == Wire::Varint) to.push_back(static_cast<std::int64_t>(field.value));
  for (Fields packed(field.bytes); !packed.done();) to.push_back(static_cast<std::int64_t>(packed.varint()));
}

Feature parse_feature(Bytes bytes) {
  Feature feature;
  for (Fields lists(bytes); !lists.done();) {
    const Field list = lists.next();
    for (Fields values(list.bytes); !values.done();) {
      const Field value = values.next();
      if (value.number != 1) continue;
      if (list.number == 1) feature.texts.push_back(text_of(value.bytes));
      if (list.number == 2) add_floats(value, feature.floats);
      if (list.number == 3) add_integers(value, feature.integers);
    }
  }
  return feature;
}

// The bytes of all length-delimited fields of that number.
std::vector<Bytes> parts(Bytes message, std::uint64_t number) {
  std::vector<Bytes> found;
  for (Fields fields(message); !fields.done();) {
    const Field field = fields.next();
    if (field.number == number && field.wire == Wire::Length) found.push_back(field.bytes);
  }
  return found;
}

}  // namespace

Example::Example(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  for (const Bytes features : parts(bytes_, 1))
    for (const Bytes entry : parts(features, 1)) {
      const auto keys = parts(entry, 1), values = parts(entry, 2);
      if (keys.empty() || values.empty()) continue;
      features_.insert_or_assign(std::string(text_of(keys.back())), parse_feature(values.back()));
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
