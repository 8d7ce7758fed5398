// Time that has passed.
//
//   const Clock::time_point start = Clock::now();
//   std::cout << seconds_since(start) << " s\n";
//
#pragma once
#include <chrono>

namespace lpot {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Wall-clock time that the process has spent in the runtime so far.
struct RuntimeSeconds {
  double compiling = 0;  // including the time to free compiled models
  double inferring = 0;
};

}  // namespace lpot
