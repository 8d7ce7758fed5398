// Calls a function for every index on several threads.
//
//   std::vector<std::string> names(100);
//   for_each_index(names.size(), 4, [&](std::size_t i) { names[i] = std::to_string(i); });
//
#pragma once
#include <cstddef>
#include <functional>

namespace lpot {

// The calling thread is one of the threads. Each takes the next free index. If the system has no more threads, fewer
// do the work. After an exception, no further index is started, and the first exception is rethrown at the end.
void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace lpot
