// What stands behind a BatchStream: workers that prepare batches ahead into a ring of slots.
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

// Batch b is prepared by whichever worker claims it and waits in slot b % slots. A worker claims b only once the batch
// that had its slot was handed out, which bounds what is prepared ahead.
struct BatchStream::State {
  State(DataLoader, std::vector<std::size_t> positions);
  ~State();

  void start();  // apart from the constructor, so that a thread that cannot be made leaves a State to destroy
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
  std::size_t claimed_ = 0;     // batches that a worker has taken on
  std::size_t handed_out_ = 0;  // batches that next() has given
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace lpot
