// Time that has passed.
//
//   const Clock::time_point start = Clock::now();
//   std::cout << seconds_since(start) << " s\n";
//
#pragma once
#include <time.h>

#include <chrono>

namespace lpot {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// CPU time in milliseconds: without the time in which a thread waits for a core that other programs use.
inline double cpu_ms(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}
inline double thread_cpu_ms() { return cpu_ms(CLOCK_THREAD_CPUTIME_ID); }    // of the calling thread
inline double process_cpu_ms() { return cpu_ms(CLOCK_PROCESS_CPUTIME_ID); }  // of all threads

// Wall-clock time that the process has spent in the runtime so far.
struct RuntimeSeconds {
  double compiling = 0;  // including the time to free compiled models
  double inferring = 0;
};

}  // namespace lpot
