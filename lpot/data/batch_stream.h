// The implementation of BatchStream: worker threads prepare batches in advance and store them in a ring of slots.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "lpot/data/loader.h"

namespace lpot {

// A worker claims batch b, prepares it and stores it in slot b % slots. It claims b only after next() has returned the
// previous batch of this slot, which limits the number of prepared batches.
struct BatchStream::State {
  State(DataLoader, std::vector<std::size_t> positions);
  ~State();

  void start();  // not in the constructor, so that the destructor runs if a thread cannot be started
  std::optional<Batch> next();

 private:
  struct Slot {
    std::optional<Batch> batch;
    std::exception_ptr error;
    bool filled() const { return batch.has_value() || error; }
  };

  Batch make_batch(std::size_t number) const;
  Slot prepare(std::size_t number) const;
  void work();

  const DataLoader loader_;
  const std::vector<std::size_t> positions_;
  const std::size_t batches_;

  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable emptied_;
  std::vector<Slot> slots_;
  std::size_t claimed_ = 0;   // batches that workers have claimed
  std::size_t returned_ = 0;  // batches that next() has returned
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace lpot
