#include "lpot/distributed/coordinator.h"

#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <map>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/distributed/local_worker.h"
#include "lpot/distributed/messages.h"
#include "lpot/distributed/poll_backoff.h"

namespace lpot {
namespace {

constexpr double kSecondsBetweenChecks = 0.05;  // of the workers' processes
constexpr std::size_t kWindow = 4;  // limits how far answers may be ahead, in multiples of the maximum of open jobs

bool is_running(const Peer& peer) { return ::kill(static_cast<pid_t>(peer.process), 0) == 0 || errno != ESRCH; }

// Decides which process gets the next job.
class Assignments {
 public:
  Assignments(const Coordinator& coordinator, const Round& round) : first_(round.local_task ? 0 : 1) {
    for (std::size_t rank = 0; rank < coordinator.size(); ++rank) {
      max_open_.push_back(1 + round.jobs_per_thread * static_cast<std::size_t>(coordinator.all_threads()[rank]));
      total_ += max_open_.back();
    }
    open_.resize(max_open_.size());
  }

  // The rank with the fewest open jobs, so that all have work from the start. Empty if all have enough.
  std::optional<std::size_t> next_rank() const {
    std::optional<std::size_t> next;
    for (std::size_t rank = first_; rank < open_.size(); ++rank)
      if (open_[rank] < max_open_[rank] && (!next || open_[rank] < open_[*next])) next = rank;
    return next;
  }

  void add(std::size_t rank) { ++open_[rank]; }
  void remove(std::size_t rank) { --open_.at(rank); }
  std::size_t max_open_in_total() const { return total_; }

 private:
  std::size_t first_;                         // the lowest rank that gets jobs
  std::vector<std::size_t> open_, max_open_;  // jobs, by rank
  std::size_t total_ = 0;
};

}  // namespace

// One round.
class Coordinator::Running {
 public:
  Running(Coordinator& coordinator, const Round& round)
      : coordinator_(coordinator), round_(round), assignments_(coordinator, round), local_(start(coordinator, round)) {}

  void run(const Observer& observer) {
    PollBackoff backoff;
    while (!is_done_) {
      coordinator_.check_workers();
      observer.check_stop();
      assign_jobs();
      const bool has_received = receive_answers();
      collect_answers();
      wait_unless(backoff, has_received);
    }
  }

  // Waits for all processes. Answers that were not collected are dropped.
  void finish() {
    send_to_workers(coordinator_, make_message(MessageType::EndRound));
    local_.finish();
    PollBackoff backoff;
    while (summaries_.size() + 1 < coordinator_.size()) {
      coordinator_.check_workers();
      wait_unless(backoff, receive());
    }
    if (!order_error_) order_error_ = local_.error();
    summaries_[0] = local_.summary();
  }

  void throw_order_error() const {
    if (order_error_) std::rethrow_exception(order_error_);
  }

  void collect_summaries() {
    const auto start = Clock::now();
    if (round_.collect_summary)
      for (const auto& [rank, summary] : summaries_) round_.collect_summary(summary);
    seconds_collecting_ += seconds_since(start);
  }

  std::string describe() const {
    return fmt::format("shared {} jobs between {} processes in {:.3f} s; rank 0 collected for {:.3f} s", collected_,
                       coordinator_.size(), seconds_since(start_), seconds_collecting_);
  }

 private:
  // Workers get the order before the local task starts.
  static const WorkerTask& start(Coordinator& coordinator, const Round& round) {
    send_to_workers(coordinator, make_message(MessageType::Order, round.order));
    return round.local_task;
  }

  static void send_to_workers(Coordinator& coordinator, const std::string& message) {
    for (std::size_t rank = 1; rank < coordinator.size(); ++rank)
      coordinator.transport_.send(static_cast<int>(rank), message);
  }

  static void wait_unless(PollBackoff& backoff, bool has_received) {
    if (has_received)
      backoff.reset();
    else
      backoff.sleep();
  }

  void assign_jobs() {
    while (next_ < round_.jobs && next_ < collected_ + kWindow * assignments_.max_open_in_total()) {
      const auto rank = assignments_.next_rank();
      if (!rank) return;
      assign(*rank, {next_, round_.encode_job(next_)});
      assignments_.add(*rank);
      ++next_;
    }
  }

  void assign(std::size_t rank, Job job) {
    if (rank == 0) return local_.assign(std::move(job));
    ByteWriter writer;
    writer.number<std::uint64_t>(job.number);
    writer.text(job.bytes);
    coordinator_.transport_.send(static_cast<int>(rank), make_message(MessageType::Job, writer.release()));
  }

  // Returns whether anything has arrived. Throws the error of a process that could not follow the order.
  bool receive_answers() {
    bool any = false;
    while (receive()) any = true;
    for (auto& [job, answer] : local_.answers()) {
      any = true;
      assignments_.remove(0);
      waiting_.emplace(job, std::move(answer));
    }
    if (const std::exception_ptr error = local_.error()) order_error_ = error;
    throw_order_error();
    return any;
  }

  void collect_answers() {
    while (!waiting_.empty() && waiting_.begin()->first == collected_ && !is_done_) {
      const JobAnswer answer = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      if (answer.error) std::rethrow_exception(answer.error);
      const auto start = Clock::now();
      is_done_ = !round_.collect(collected_, answer.bytes);
      seconds_collecting_ += seconds_since(start);
      ++collected_;
    }
    is_done_ = is_done_ || collected_ == round_.jobs;
  }

  bool receive() {
    const auto message = coordinator_.transport_.receive();
    if (!message) return false;
    const auto from = static_cast<std::size_t>(message->from);
    const std::string_view content = std::string_view(message->bytes).substr(1);
    switch (static_cast<MessageType>(message->bytes.at(0))) {
      case MessageType::Finished:
        summaries_[from] = std::string(content);
        break;
      case MessageType::OrderFailed:
        order_error_ =
            error_from_bytes(content, fmt::format("rank {} ({}): ", from, coordinator_.peers_.at(from).describe()));
        break;
      case MessageType::Answer:
        receive_answer(from, content, [](std::string_view bytes) { return JobAnswer{std::string(bytes), nullptr}; });
        break;
      case MessageType::JobFailed:
        receive_answer(from, content, [](std::string_view bytes) { return JobAnswer{"", error_from_bytes(bytes)}; });
        break;
      default:
        throw DistributedError(kDamagedMessage.operation, kDamagedMessage.message);
    }
    return true;
  }

  template <typename Decode>
  void receive_answer(std::size_t from, std::string_view content, const Decode& decode) {
    ByteReader reader(content, kDamagedMessage);
    const std::size_t job = reader.number<std::uint64_t>();
    assignments_.remove(from);
    waiting_.emplace(job, decode(reader.view()));
  }

  Coordinator& coordinator_;
  const Round& round_;
  Assignments assignments_;
  std::map<std::size_t, JobAnswer> waiting_;  // answers that wait for earlier ones, by job
  std::size_t next_ = 0;                      // the next job to assign
  std::size_t collected_ = 0;                 // jobs, in order
  bool is_done_ = false;
  std::map<std::size_t, std::string> summaries_;  // of the processes that have finished, by rank
  std::exception_ptr order_error_;
  Clock::time_point start_ = Clock::now();
  double seconds_collecting_ = 0;
  LocalWorker local_;
};

Coordinator::Coordinator(Transport& transport)
    : transport_(transport), peers_(static_cast<std::size_t>(transport.size())) {
  peers_[0] = this_process();
  PollBackoff backoff;
  for (std::size_t missing = peers_.size() - 1; missing > 0;) {
    const auto message = transport_.receive();
    if (!message) {
      backoff.sleep();
      continue;
    }
    peers_.at(static_cast<std::size_t>(message->from)) = peer_from_bytes(std::string_view(message->bytes).substr(1));
    --missing;
  }
  check_peers();
  for (std::size_t rank = 0; rank < peers_.size(); ++rank)
    is_checkable_.push_back(rank > 0 && peers_[rank].host == peers_[0].host && is_running(peers_[rank]));
  threads_ = threads_per_peer(peers_);
}

void Coordinator::check_peers() const {
  const Peer& first = peers_[0];
  for (std::size_t rank = 1; rank < peers_.size(); ++rank) {
    const Peer& peer = peers_[rank];
    if (peer.version != first.version)
      throw DistributedError(
          "distributed", fmt::format("rank {} ({}) runs lpot {}, but rank 0 runs lpot {}. Start the same version on "
                                     "every rank.",
                                     rank, peer.describe(), peer.version, first.version));
    // Kernels of another CPU class round differently, so the score would depend on which process evaluated which
    // sample.
    if (peer.cpu_class != first.cpu_class)
      throw DistributedError(
          "distributed", fmt::format("rank {} ({}) has a CPU of class {}, but rank 0 has class {}. Use machines of one "
                                     "class, or limit all to the lower class, for example with "
                                     "ONEDNN_MAX_CPU_ISA=AVX2.",
                                     rank, peer.describe(), peer.cpu_class, first.cpu_class));
  }
}

void Coordinator::check_workers() {
  if (seconds_since(last_check_) < kSecondsBetweenChecks) return;
  last_check_ = Clock::now();
  for (std::size_t rank = 1; rank < peers_.size(); ++rank)
    if (is_checkable_[rank] && !is_running(peers_[rank]))
      throw DistributedError(
          "distributed", fmt::format("rank {} ({}) ended before its work was done, so this run stops. Finished work is "
                                     "stored in the workspace. Repeat the command with --resume; the number of "
                                     "processes may change.",
                                     rank, peers_[rank].describe()));
}

Observer Coordinator::watch(Observer observer) {
  observer.should_stop = [this, should_stop = std::move(observer.should_stop)] {
    check_workers();
    return should_stop && should_stop();
  };
  return observer;
}

void Coordinator::run(const Round& round, const Observer& observer) {
  Running running(*this, round);
  try {
    running.run(observer);
  } catch (const DistributedError&) {
    throw;
  } catch (...) {
    running.finish();  // makes all processes ready for the next round
    throw;
  }
  running.finish();
  running.throw_order_error();
  running.collect_summaries();
  if (round.jobs > 0) observer.log(LogLevel::Debug, running.describe());
}

void dismiss_workers(Transport& transport) {
  for (int rank = 1; rank < transport.size(); ++rank) transport.send(rank, make_message(MessageType::Exit));
}

}  // namespace lpot
