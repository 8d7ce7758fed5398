// The jobs of a round, as one process sees them. The coordinator assigns jobs one by one to the process with the fewest
// open jobs, collects the answers in the order of the jobs, and ends the round when it needs no more.
//
//   WorkerTask task = [](Jobs& jobs) {
//     while (const std::optional<Job> job = jobs.next(true)) jobs.answer(job->number, job->bytes + "!");
//     return std::string("summary");
//   };
//
#pragma once
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace lpot {

struct Job {
  std::size_t number = 0;
  std::string bytes;
};

class Jobs {
 public:
  virtual ~Jobs() = default;
  virtual std::optional<Job> next(bool wait) = 0;  // empty: no job has arrived, or the round is over
  virtual bool is_over() = 0;                      // answers to open jobs are no longer needed
  virtual void answer(std::size_t job, std::string bytes) = 0;
  virtual void fail(std::size_t job, std::exception_ptr) = 0;
};

// Answers jobs until the round is over. Returns a summary, which is sent to the coordinator.
using WorkerTask = std::function<std::string(Jobs&)>;

}  // namespace lpot
