// Large models: when they are, and memory that was freed goes back to the system.
#pragma once
#include <cstddef>

namespace lpot {

// Of a model of so many bytes there is room for one compiled copy at a time.
constexpr std::size_t kLargeModel = std::size_t{256} << 20;

// The allocator keeps what large stages (calibration, quantizing) have freed; the next stage would take more beside it.
void release_freed_memory();

}  // namespace lpot
