#include "lpot/data/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "lpot/core/file.h"

namespace lpot {
namespace {

void add(Fingerprint& fingerprint, const Tensor& tensor) {
  if (tensor.empty()) {
    fingerprint.add("no tensor;");
    return;
  }
  fingerprint.add(tensor.describe());
  fingerprint.add({reinterpret_cast<const char*>(tensor.bytes()), tensor.byte_size()});
}

}  // namespace

std::string Dataset::identity() const {
  // Enough samples to detect different data, and few enough to be fast if reading a sample is slow.
  constexpr std::size_t kSamples = 16;
  const std::size_t count = std::min(size(), kSamples);
  Fingerprint fingerprint;
  for (std::size_t i = 0; i < count; ++i) {
    const Sample sample = at(count == 1 ? 0 : i * (size() - 1) / (count - 1));
    for (const Tensor& input : sample.inputs) add(fingerprint, input);
    add(fingerprint, sample.label);
  }
  return fmt::format("own data [{}], {} samples, {}", fmt::join(input_names(), ", "), size(), fingerprint.hex());
}

}  // namespace lpot
