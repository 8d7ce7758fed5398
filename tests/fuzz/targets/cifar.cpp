#include <fmt/format.h>

#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void cifar(Bytes bytes) {
  const bool ten = choose(bytes, 2) == 0;
  write(ten ? "test_batch.bin" : "test.bin", bytes);
  read_dataset(fmt::format("{}: {{root: {}}}", ten ? "CIFAR10" : "CIFAR100", folder().string()));
}

}  // namespace lpot::fuzz
