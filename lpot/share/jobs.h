// Jobs that rank 0 of a team hands out, and what a process does with them. Rank 0 hands them out one by one to whoever
// has few left, takes the answers in the jobs' order, and ends the round when it has what it needs.
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

// The jobs of one process in one round.
class Jobs {
 public:
  virtual ~Jobs() = default;
  virtual std::optional<Job> next(bool wait) = 0;  // nothing: none has come yet, or the round is over
  virtual bool is_over() = 0;                      // what was not answered is not wanted any more
  virtual void answer(std::size_t job, std::string bytes) = 0;
  virtual void fail(std::size_t job, std::exception_ptr) = 0;
};

// Answers jobs until the round is over. What it gives then goes to rank 0 beside the answers.
using Duty = std::function<std::string(Jobs&)>;

}  // namespace lpot
