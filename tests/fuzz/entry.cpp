// The libFuzzer program of one target, compiled with -DTARGET=name.
#include "tests/fuzz/targets/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lpot::fuzz::TARGET({data, size});
  return 0;
}
