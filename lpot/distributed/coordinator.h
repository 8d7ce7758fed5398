// Rank 0's side of a run with several processes. It assigns the jobs of a round to all processes, including itself, and
// collects the answers in the order of the jobs, so the result does not depend on which process did what.
//
//   Coordinator coordinator(transport);
//   Round round{.order = "sum", .jobs = 10};
//   round.encode_job = [](std::size_t job) { return std::to_string(job); };
//   round.local_task = task;
//   round.collect = [&](std::size_t, const std::string& answer) { return use(answer); };
//   coordinator.run(round, observer);
//
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lpot/core/clock.h"
#include "lpot/core/observer.h"
#include "lpot/distributed/jobs.h"
#include "lpot/distributed/peer.h"
#include "lpot/distributed/transport.h"

namespace lpot {

struct Round {
  std::string order;     // describes the work to the workers
  std::size_t jobs = 0;  // their number
  std::function<std::string(std::size_t job)> encode_job = {};
  WorkerTask local_task = {};       // runs in a thread of this process; empty: only workers get jobs
  std::size_t jobs_per_thread = 2;  // maximum number of open jobs of a process per thread
  // Called with the answers in the order of the jobs. Returns false if no further answer is needed.
  std::function<bool(std::size_t job, const std::string& answer)> collect = {};
  std::function<void(const std::string& summary)> collect_summary = {};  // of each process, in the order of the ranks
};

class Coordinator {
 public:
  // Waits for all workers. Throws DistributedError if a worker runs another version of lpot, or has a CPU whose kernels
  // round differently.
  explicit Coordinator(Transport&);

  std::size_t size() const { return peers_.size(); }
  int threads(int requested, std::size_t rank = 0) const { return requested > 0 ? requested : threads_.at(rank); }
  const std::vector<int>& all_threads() const { return threads_; }  // by rank

  // Throws the error of the first job that failed, the error of a worker that could not follow the order, Interrupted
  // if the observer asks to stop, and DistributedError if a worker has ended.
  void run(const Round&, const Observer&);

  // The same observer, but it also notices when a worker has ended. For work that rank 0 does alone.
  Observer watch(Observer);

 private:
  class Running;
  void check_peers() const;
  void check_workers();  // throws DistributedError if a worker has ended

  Transport& transport_;
  std::vector<Peer> peers_;         // by rank
  std::vector<int> threads_;        // by rank
  std::vector<bool> is_checkable_;  // by rank: whether this process can see the process of the worker
  Clock::time_point last_check_ = Clock::now();
};

// Tells all workers to exit.
void dismiss_workers(Transport&);

}  // namespace lpot
