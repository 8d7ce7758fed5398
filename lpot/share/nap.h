// Short sleeps of a process that waits for another: MPI's own waiting keeps a core busy that others could work with.
#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

namespace lpot {

class Nap {
 public:
  void sleep() {
    std::this_thread::sleep_for(length_);
    length_ = std::min(length_ * 2, std::chrono::microseconds(1000));
  }
  void wake() { length_ = kShortest; }

 private:
  static constexpr std::chrono::microseconds kShortest{50};
  std::chrono::microseconds length_ = kShortest;
};

}  // namespace lpot
