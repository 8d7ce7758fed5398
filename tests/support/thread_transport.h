// A transport whose ranks are threads of the test. Messages go through memory.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "lpot/distributed/coordinator.h"
#include "lpot/distributed/transport.h"
#include "lpot/distributed/worker.h"

namespace lpot {

class ThreadTransport : public Transport {
 public:
  struct Mailbox {
    std::mutex mutex;
    std::deque<Message> messages;
  };
  using Mailboxes = std::vector<std::unique_ptr<Mailbox>>;

  ThreadTransport(int rank, Mailboxes& all) : rank_(rank), all_(all) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(all_.size()); }
  void send(int to, const std::string& bytes) override {
    Mailbox& box = *all_.at(static_cast<std::size_t>(to));
    const std::lock_guard lock(box.mutex);
    box.messages.push_back({rank_, bytes});
  }
  std::optional<Message> receive() override {
    Mailbox& box = *all_.at(static_cast<std::size_t>(rank_));
    const std::lock_guard lock(box.mutex);
    if (box.messages.empty()) return std::nullopt;
    Message message = std::move(box.messages.front());
    box.messages.pop_front();
    return message;
  }

 private:
  int rank_;
  Mailboxes& all_;
};

// A coordinator in this thread and workers in other threads, until it is destroyed.
class WorkerThreads {
 public:
  // `size`: number of ranks, including the coordinator. `handler` returns the order handler of a rank.
  WorkerThreads(int size, const std::function<OrderHandler(int rank)>& handler) {
    for (int i = 0; i < size; ++i) mailboxes_.push_back(std::make_unique<ThreadTransport::Mailbox>());
    for (int rank = 1; rank < size; ++rank)
      workers_.emplace_back([this, rank, handler] {
        ThreadTransport transport(rank, mailboxes_);
        run_worker(transport, handler(rank));
      });
    first_ = std::make_unique<ThreadTransport>(0, mailboxes_);
    coordinator_ = std::make_unique<Coordinator>(*first_);
  }
  ~WorkerThreads() { dismiss_workers(*first_); }

  Coordinator& coordinator() { return *coordinator_; }

 private:
  ThreadTransport::Mailboxes mailboxes_;
  std::unique_ptr<ThreadTransport> first_;
  std::unique_ptr<Coordinator> coordinator_;
  std::vector<std::jthread> workers_;  // last: they use the other members
};

}  // namespace lpot
