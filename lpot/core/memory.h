// Memory that was freed goes back to the system.
#pragma once

namespace lpot {

// The allocator keeps what large stages (calibration, quantizing) have freed; the next stage would take more beside it.
void release_freed_memory();

}  // namespace lpot
