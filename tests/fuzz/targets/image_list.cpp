#include <fmt/format.h>

#include <array>

#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void image_list(Bytes bytes) {
  constexpr std::array<std::uint8_t, 3> kNoImage{0xff, 0xd8, 0xff};
  write("a.jpg", kNoImage);
  write("val.txt", bytes);
  read_dataset(fmt::format("ImagenetRaw: {{data_path: {}}}", folder().string()));
}

}  // namespace lpot::fuzz
