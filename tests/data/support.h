// Functions that the tests of data sets share.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/data/dataset.h"
#include "tests/support/files.h"

namespace lpot {

inline Component component(const std::string& name, std::map<std::string, Value> values = {}) {
  return {name, Parameters(std::move(values)), {}};
}

template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.size()};
}

// The bytes of an image as hexadecimal digits.
inline std::string hex(const Tensor& image) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t value : values_of<std::uint8_t>(image)) text += {kDigits[value >> 4], kDigits[value & 15]};
  return text;
}

}  // namespace lpot
