#include "lpot/data/images/formats.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void png(Bytes bytes) {
  expect_errors([&] { decode_png(bytes); });
}

}  // namespace lpot::fuzz
