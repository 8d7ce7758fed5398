// The coordinator's own share of a round: a thread of this process that answers jobs like a worker.
//
//   LocalWorker worker(task);
//   worker.assign({0, "bytes"});
//   for (const auto& [job, answer] : worker.answers()) use(job, answer);
//   worker.finish();
//
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lpot/distributed/jobs.h"

namespace lpot {

// The answer to a job, or its error.
struct JobAnswer {
  std::string bytes;
  std::exception_ptr error;
};

// Jobs that one thread assigns and another one answers.
class LocalJobs : public Jobs {
 public:
  std::optional<Job> next(bool wait) override;
  bool is_over() override;
  void answer(std::size_t job, std::string bytes) override;
  void fail(std::size_t job, std::exception_ptr) override;

  void assign(Job);
  void end();
  std::map<std::size_t, JobAnswer> answers();  // those since the last call

 private:
  void store(std::size_t job, JobAnswer);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::map<std::size_t, JobAnswer> answers_;
  bool is_over_ = false;
};

class LocalWorker {
 public:
  explicit LocalWorker(const WorkerTask&);  // empty: no thread is started; the task must outlive the worker
  ~LocalWorker();

  void assign(Job job) { jobs_.assign(std::move(job)); }
  std::map<std::size_t, JobAnswer> answers() { return jobs_.answers(); }
  void finish();                                           // ends the round and waits for the task
  std::exception_ptr error() const;                        // of the task, outside of jobs
  const std::string& summary() const { return summary_; }  // after finish()

 private:
  LocalJobs jobs_;
  std::string summary_;
  std::exception_ptr error_;
  std::atomic<bool> has_failed_ = false;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace lpot
