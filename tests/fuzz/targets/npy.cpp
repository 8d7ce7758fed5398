#include <fmt/format.h>

#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void npy(Bytes bytes) {
  const auto file = write("array.npy", bytes);
  read_dataset(fmt::format("npy: {{inputs: {{x: {}}}, labels: {}}}", file.string(), file.string()));
}

}  // namespace lpot::fuzz
