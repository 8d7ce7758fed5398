#include "lpot/share/crew.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/share/messages.h"
#include "lpot/share/nap.h"

namespace lpot {
namespace {

constexpr double kLookAround = 0.05;  // seconds between two looks whether all are there
constexpr std::size_t kWindow = 4;    // times all jobs that are handed out: how far answers may be ahead of their turn

bool is_there(const Member& member) { return ::kill(static_cast<pid_t>(member.process), 0) == 0 || errno != ESRCH; }

struct Answered {
  std::string bytes;
  std::exception_ptr error;
};

// The jobs of this process: handed over by one thread, answered by another.
class JobsHere : public Jobs {
 public:
  std::optional<Job> next(bool wait) override {
    std::unique_lock lock(mutex_);
    if (wait) come_.wait(lock, [&] { return is_over_ || !jobs_.empty(); });
    if (is_over_ || jobs_.empty()) return std::nullopt;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }
  bool is_over() override {
    const std::lock_guard lock(mutex_);
    return is_over_;
  }
  void answer(std::size_t job, std::string bytes) override { put(job, {std::move(bytes), nullptr}); }
  void fail(std::size_t job, std::exception_ptr error) override { put(job, {"", std::move(error)}); }

  void give(Job job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    come_.notify_one();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    come_.notify_one();
  }
  std::map<std::size_t, Answered> answers() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }

 private:
  void put(std::size_t job, Answered answered) {
    const std::lock_guard lock(mutex_);
    answers_.emplace(job, std::move(answered));
  }

  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<Job> jobs_;
  std::map<std::size_t, Answered> answers_;
  bool is_over_ = false;
};

}  // namespace

// One round.
class Crew::Running {
 public:
  Running(Crew& crew, const Round& round)
      : crew_(crew), round_(round), handed_out_(crew.size(), 0), last_(crew.size()) {
    to_helpers(say(Say::Order, round.order));
    if (!round_.work) return;
    here_ = std::jthread([this] {
      try {
        last_[0] = round_.work(jobs_here_);
      } catch (...) {
        error_here_ = std::current_exception();
        has_failed_here_ = true;
      }
    });
  }

  ~Running() { jobs_here_.end(); }

  void run(const Observer& observer) {
    Nap nap;
    while (!is_done_) {
      crew_.look_around();
      observer.check_stop();
      hand_out();
      if (collect())
        nap.wake();
      else
        nap.sleep();
    }
  }

  // Waits for all. Nothing that was not taken is wanted any more.
  void end() {
    jobs_here_.end();
    to_helpers(say(Say::Over));
    if (here_.joinable()) here_.join();
    Nap nap;
    while (finished_ + 1 < crew_.size()) {
      crew_.look_around();
      if (receive())
        nap.wake();
      else
        nap.sleep();
    }
    if (has_failed_here_ && !unable_) unable_ = error_here_;
  }

  void throw_what_failed() const {
    if (unable_) std::rethrow_exception(unable_);
  }

  void take_last() {
    const auto start = Clock::now();
    if (round_.take_last)
      for (const std::string& last : last_) round_.take_last(last);
    seconds_taking_ += seconds_since(start);
  }

  std::string describe() const {
    return fmt::format("shared {} jobs between {} processes in {:.3f} s, {:.3f} s of them at rank 0 alone", taken_,
                       crew_.size(), seconds_since(start_), seconds_taking_);
  }

 private:
  void to_helpers(const std::string& message) {
    for (std::size_t rank = 1; rank < crew_.size(); ++rank) crew_.team_.send(static_cast<int>(rank), message);
  }

  std::size_t most_ahead(std::size_t rank) const {
    return 1 + round_.ahead * static_cast<std::size_t>(crew_.threads_[rank]);
  }

  // To whoever has fewest left, so that all have work from the beginning.
  void hand_out() {
    std::size_t all = 0;
    for (std::size_t rank = 0; rank < crew_.size(); ++rank) all += most_ahead(rank);
    while (next_ < round_.jobs && next_ < taken_ + kWindow * all) {
      std::size_t to = crew_.size();
      for (std::size_t rank = round_.work ? 0 : 1; rank < crew_.size(); ++rank)
        if (handed_out_[rank] < most_ahead(rank) && (to == crew_.size() || handed_out_[rank] < handed_out_[to]))
          to = rank;
      if (to == crew_.size()) return;
      give(to, {next_, round_.job(next_)});
      ++handed_out_[to];
      ++next_;
    }
  }

  void give(std::size_t rank, Job job) {
    if (rank == 0) return jobs_here_.give(std::move(job));
    ByteWriter writer;
    writer.number<std::uint64_t>(job.number);
    writer.text(job.bytes);
    crew_.team_.send(static_cast<int>(rank), say(Say::Task, writer.take()));
  }

  // Whether anything was there to take.
  bool collect() {
    bool any = false;
    while (receive()) any = true;
    for (auto& [job, answered] : jobs_here_.answers()) {
      any = true;
      --handed_out_[0];
      waiting_.emplace(job, std::move(answered));
    }
    if (has_failed_here_) unable_ = error_here_;
    if (unable_) std::rethrow_exception(unable_);
    while (!waiting_.empty() && waiting_.begin()->first == taken_ && !is_done_) {
      const Answered answered = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      if (answered.error) std::rethrow_exception(answered.error);
      const auto start = Clock::now();
      is_done_ = !round_.take(taken_, answered.bytes);
      seconds_taking_ += seconds_since(start);
      ++taken_;
    }
    is_done_ = is_done_ || taken_ == round_.jobs;
    return any;
  }

  bool receive() {
    const auto message = crew_.team_.receive();
    if (!message) return false;
    const auto from = static_cast<std::size_t>(message->from);
    const std::string_view rest = std::string_view(message->bytes).substr(1);
    switch (static_cast<Say>(message->bytes.at(0))) {
      case Say::Finished:
        ++finished_;
        last_.at(from) = std::string(rest);
        break;
      case Say::Unable:
        unable_ = error_from_bytes(rest, fmt::format("rank {} ({}): ", from, crew_.members_.at(from).describe()));
        break;
      case Say::Answer:
      case Say::Failed: {
        ByteReader reader(rest, kGarbled);
        const std::size_t job = reader.number<std::uint64_t>();
        const std::string_view bytes = reader.view();
        --handed_out_.at(from);
        const bool failed = static_cast<Say>(message->bytes[0]) == Say::Failed;
        waiting_.emplace(job, failed ? Answered{"", error_from_bytes(bytes)} : Answered{std::string(bytes), nullptr});
        break;
      }
      default:
        throw TeamError("team", kGarbled.message);
    }
    return true;
  }

  Crew& crew_;
  const Round& round_;
  std::vector<std::size_t> handed_out_;  // and not answered, by rank
  std::map<std::size_t, Answered> waiting_;
  std::size_t next_ = 0;   // to be handed out
  std::size_t taken_ = 0;  // in order
  std::size_t finished_ = 0;
  bool is_done_ = false;
  std::vector<std::string> last_;  // by rank
  std::exception_ptr unable_;
  Clock::time_point start_ = Clock::now();
  double seconds_taking_ = 0;
  JobsHere jobs_here_;
  std::exception_ptr error_here_;
  std::atomic<bool> has_failed_here_ = false;
  std::jthread here_;  // last: it uses the others
};

Crew::Crew(Team& team) : team_(team), members_(static_cast<std::size_t>(team.size())) {
  members_[0] = this_process();
  Nap nap;
  for (std::size_t missing = members_.size() - 1; missing > 0;) {
    const auto message = team_.receive();
    if (!message) {
      nap.sleep();
      continue;
    }
    members_.at(static_cast<std::size_t>(message->from)) =
        member_from_bytes(std::string_view(message->bytes).substr(1));
    --missing;
  }
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    const Member &first = members_[0], &member = members_[rank];
    if (member.version != first.version)
      throw TeamError("team", fmt::format("rank {} ({}) is lpot {}, rank 0 is lpot {}: start the same one everywhere",
                                          rank, member.describe(), member.version, first.version));
    // Kernels of another class round differently, so that scores would hang on who evaluated what.
    if (member.cpu_class != first.cpu_class)
      throw TeamError(
          "team", fmt::format("rank {} ({}) has a CPU of class {}, rank 0 one of class {}: use machines of one class, "
                              "or hold all back to the lower one, as with ONEDNN_MAX_CPU_ISA=AVX2",
                              rank, member.describe(), member.cpu_class, first.cpu_class));
    can_be_seen_.push_back(rank > 0 && member.host == first.host && is_there(member));
  }
  threads_ = threads_of_each(members_);
}

void Crew::look_around() {
  if (seconds_since(looked_) < kLookAround) return;
  looked_ = Clock::now();
  for (std::size_t rank = 1; rank < members_.size(); ++rank)
    if (can_be_seen_[rank] && !is_there(members_[rank]))
      throw TeamError("team",
                      fmt::format("rank {} ({}) has ended before its work was done, so this run ends; what was "
                                  "finished is in the workspace: the same command with --resume goes on, with any "
                                  "number of processes",
                                  rank, members_[rank].describe()));
}

Observer Crew::watch(Observer observer) {
  observer.should_stop = [this, before = std::move(observer.should_stop)] {
    look_around();
    return before && before();
  };
  return observer;
}

void Crew::run(const Round& round, const Observer& observer) {
  Running running(*this, round);
  try {
    running.run(observer);
  } catch (const TeamError&) {
    throw;
  } catch (...) {
    running.end();  // all are ready for the next round then
    throw;
  }
  running.end();
  running.throw_what_failed();
  running.take_last();
  if (round.jobs > 0) observer.log(LogLevel::Debug, running.describe());
}

void dismiss(Team& team) {
  for (int rank = 1; rank < team.size(); ++rank) team.send(rank, say(Say::Leave));
}

}  // namespace lpot
