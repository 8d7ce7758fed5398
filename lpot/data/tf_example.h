// tf.train.Example: named features, each a list of byte strings, floats or whole numbers. Read with ProtoReader,
// because TensorFlow's generated classes are not linked.
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
  // Throws DataError when the bytes are no Example.
  explicit Example(std::vector<std::uint8_t> bytes);
  Example(const Example&) = delete;  // features point into the bytes
  Example& operator=(const Example&) = delete;

  // The feature of that name, an empty one when there is none.
  const Feature& operator[](std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<std::uint8_t> bytes_;
  std::map<std::string, Feature, std::less<>> features_;
};

}  // namespace lpot
