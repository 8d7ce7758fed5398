// Short sleeps between two polls for messages. MPI's own waiting keeps a core busy that other processes could use.
//
//   PollBackoff backoff;
//   while (!transport.receive()) backoff.sleep();
//
#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

namespace lpot {

class PollBackoff {
 public:
  // Every sleep is twice as long as the one before, up to 1 ms.
  void sleep() {
    std::this_thread::sleep_for(length_);
    length_ = std::min(length_ * 2, std::chrono::microseconds(1000));
  }
  void reset() { length_ = kShortest; }

 private:
  static constexpr std::chrono::microseconds kShortest{50};
  std::chrono::microseconds length_ = kShortest;
};

}  // namespace lpot
