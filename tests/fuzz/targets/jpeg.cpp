#include "lpot/data/images/formats.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void jpeg(Bytes bytes) {
  expect_errors([&] { decode_jpeg(bytes); });
}

}  // namespace lpot::fuzz
