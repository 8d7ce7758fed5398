// Rank 0's side of a team: it hands out the jobs of a round to all processes, itself among them, and takes the answers
// in the jobs' order, so that what is made of them does not hang on who did what.
//
//   Crew crew(team);
//   crew.run({.order = order, .jobs = 10, .job = job, .work = work, .take = take}, observer);
//
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lpot/core/clock.h"
#include "lpot/core/observer.h"
#include "lpot/core/team.h"
#include "lpot/share/jobs.h"
#include "lpot/share/member.h"

namespace lpot {

struct Round {
  std::string order;  // what helpers are to do
  std::size_t jobs = 0;
  std::function<std::string(std::size_t)> job = {};
  Duty work = {};         // of this process, in a thread of its own; none: helpers work alone
  std::size_t ahead = 2;  // jobs of one process that are handed out before the first is answered, for each thread
  // The answers in the jobs' order, until it gives false: the others are not needed any more.
  std::function<bool(std::size_t job, const std::string&)> take = {};
  std::function<void(const std::string&)> take_last = {};  // what a process has left to say, in the order of ranks
};

class Crew {
 public:
  // Waits until all helpers are there. Throws TeamError when they are another lpot's, or their CPUs give other results.
  explicit Crew(Team&);

  std::size_t size() const { return members_.size(); }
  int threads(int asked, std::size_t rank = 0) const { return asked > 0 ? asked : threads_.at(rank); }
  const std::vector<int>& all_threads() const { return threads_; }

  // Throws what the first job that failed threw, what a helper could not do, Interrupted when the observer says stop,
  // and TeamError when a helper has ended.
  void run(const Round&, const Observer&);

  // The same observer for work that rank 0 does alone: a helper that has ended is noticed then too.
  Observer watch(Observer);

 private:
  class Running;
  void look_around();  // throws TeamError when a helper has ended

  Team& team_;
  std::vector<Member> members_;    // by rank
  std::vector<int> threads_;       // by rank
  std::vector<bool> can_be_seen_;  // whose process this one can look for
  Clock::time_point looked_ = Clock::now();
};

// Lets the helpers of rank 0 go home.
void dismiss(Team&);

}  // namespace lpot
