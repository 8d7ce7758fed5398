// A team whose ranks are threads of the test: messages go through memory.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "lpot/core/team.h"
#include "lpot/share/crew.h"
#include "lpot/share/helper.h"

namespace lpot {

class ThreadTeam : public Team {
 public:
  struct Mailbox {
    std::mutex mutex;
    std::deque<Message> messages;
  };
  using Mailboxes = std::vector<std::unique_ptr<Mailbox>>;

  ThreadTeam(int rank, Mailboxes& all) : rank_(rank), all_(all) {}
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

// Rank 0 in this thread, helpers in others that take orders until it goes.
class TeamOfThreads {
 public:
  // `orders` of a rank.
  TeamOfThreads(int size, const std::function<Orders(int rank)>& orders) {
    for (int i = 0; i < size; ++i) mailboxes_.push_back(std::make_unique<ThreadTeam::Mailbox>());
    for (int rank = 1; rank < size; ++rank)
      helpers_.emplace_back([this, rank, orders] {
        ThreadTeam team(rank, mailboxes_);
        serve(team, orders(rank));
      });
    first_ = std::make_unique<ThreadTeam>(0, mailboxes_);
    crew_ = std::make_unique<Crew>(*first_);
  }
  ~TeamOfThreads() { dismiss(*first_); }

  Crew& crew() { return *crew_; }

 private:
  ThreadTeam::Mailboxes mailboxes_;
  std::unique_ptr<ThreadTeam> first_;
  std::unique_ptr<Crew> crew_;
  std::vector<std::jthread> helpers_;  // last: they use the others
};

}  // namespace lpot
