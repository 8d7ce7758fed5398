// Large models: from which size on memory matters, and how to return it to the system.
#pragma once
#include <cstddef>

namespace lpot {

// For models from this size on, only one compiled copy is kept in memory at a time.
constexpr std::size_t kLargeModel = std::size_t{256} << 20;

// Returns freed memory to the system. The allocator keeps memory that large stages (calibration, quantization) have
// freed, and the next stage would allocate more.
void release_freed_memory();

}  // namespace lpot
