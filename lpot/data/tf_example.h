// Reads a tf.train.Example: named features, each a list of byte strings, floats or integers. Uses ProtoReader, because
// lpot does not link TensorFlow's generated classes.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

struct Feature {
  std::vector<std::string_view> texts;  // into the example's bytes
  std::vector<float> floats;
  std::vector<std::int64_t> integers;
};

class Example {
 public:
  // Throws DataError if the bytes are not an Example.
  explicit Example(std::vector<std::uint8_t> bytes);
  Example(const Example&) = delete;  // features point into the bytes
  Example& operator=(const Example&) = delete;

  // The feature of this name; an empty feature if there is none.
  const Feature& operator[](std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<std::uint8_t> bytes_;
  std::map<std::string, Feature, std::less<>> features_;
};

}  // namespace lpot
