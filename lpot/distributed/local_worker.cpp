#include "lpot/distributed/local_worker.h"

#include <utility>

namespace lpot {

std::optional<Job> LocalJobs::next(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait(lock, [&] { return is_over_ || !jobs_.empty(); });
  if (is_over_ || jobs_.empty()) return std::nullopt;
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

bool LocalJobs::is_over() {
  const std::lock_guard lock(mutex_);
  return is_over_;
}

void LocalJobs::answer(std::size_t job, std::string bytes) { store(job, {std::move(bytes), nullptr}); }

void LocalJobs::fail(std::size_t job, std::exception_ptr error) { store(job, {"", std::move(error)}); }

void LocalJobs::assign(Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_one();
}

void LocalJobs::end() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_one();
}

std::map<std::size_t, JobAnswer> LocalJobs::answers() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

void LocalJobs::store(std::size_t job, JobAnswer answer) {
  const std::lock_guard lock(mutex_);
  answers_.emplace(job, std::move(answer));
}

LocalWorker::LocalWorker(const WorkerTask& task) {
  if (!task) return;
  thread_ = std::jthread([this, &task] {
    try {
      summary_ = task(jobs_);
    } catch (...) {
      error_ = std::current_exception();
      has_failed_ = true;
    }
  });
}

LocalWorker::~LocalWorker() { jobs_.end(); }

void LocalWorker::finish() {
  jobs_.end();
  if (thread_.joinable()) thread_.join();
}

std::exception_ptr LocalWorker::error() const { return has_failed_ ? error_ : nullptr; }

}  // namespace lpot
