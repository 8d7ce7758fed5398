#include "lpot/core/parallel.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace lpot {

void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failed;  // an exception that leaves a thread would terminate the program
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failed) failed = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int i = 1; i < threads && others.size() + 1 < count; ++i) others.emplace_back(run);
    } catch (const std::system_error&) {  // no more threads available; continue with fewer
    }
    run();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace lpot
