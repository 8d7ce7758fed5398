// Reads and sets the CPU cores that this process may use.
#pragma once
#include <vector>

namespace lpot {

std::vector<int> usable_cores();  // in ascending order

// Binds this process, and the threads that it starts afterwards, to these cores. Throws ConfigError.
void bind_to_cores(const std::vector<int>&);

}  // namespace lpot
