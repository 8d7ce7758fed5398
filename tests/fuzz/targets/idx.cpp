#include <fmt/format.h>

#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

// The first two bytes give the end of the images and the start of the labels.
void idx(Bytes bytes) {
  const std::size_t high = choose(bytes, 256), low = choose(bytes, 256);
  const std::size_t images = std::min(bytes.size(), high << 8 | low);
  write("t10k-images-idx3-ubyte", bytes.first(images));
  write("t10k-labels-idx1-ubyte", bytes.subspan(images));
  read_dataset(fmt::format("FashionMNIST: {{root: {}}}", folder().string()));
}

}  // namespace lpot::fuzz
