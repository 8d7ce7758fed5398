#include "lpot/core/parallel.h"

#include <gmock/gmock.h>
#include <pthread.h>

#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace lpot {
namespace {

// While this object exists, no thread can start, because its stack would be larger than the address space.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_ = {};
};

std::vector<int> calls_of(std::size_t count, int threads) {
  std::vector<int> calls(count);
  for_each_index(count, threads, [&](std::size_t i) { ++calls[i]; });
  return calls;
}

TEST(ForEachIndex, CallsTheFunctionOnceForEveryIndex) {
  for (const int threads : {0, 1, 3, 20}) EXPECT_EQ(calls_of(10, threads), std::vector<int>(10, 1)) << threads;
  EXPECT_TRUE(calls_of(0, 4).empty());
}

TEST(ForEachIndex, RethrowsAnException) {
  for (const int threads : {1, 4})
    EXPECT_THROW(for_each_index(100, threads,
                                [](std::size_t i) {
                                  if (i == 7) throw std::out_of_range("7");
                                }),
                 std::out_of_range);
}

TEST(ForEachIndex, WorksIfTheSystemHasNoMoreThreads) {
  const NoMoreThreads limit;
  EXPECT_THROW(std::jthread([] {}), std::system_error);
  EXPECT_EQ(calls_of(10, 4), std::vector<int>(10, 1));
}

}  // namespace
}  // namespace lpot
