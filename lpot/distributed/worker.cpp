#include "lpot/distributed/worker.h"

#include "lpot/distributed/messages.h"
#include "lpot/distributed/peer.h"
#include "lpot/distributed/poll_backoff.h"

namespace lpot {
namespace {

MessageType type_of(const Transport::Message& message) { return static_cast<MessageType>(message.bytes.at(0)); }

Transport::Message wait_for_message(Transport& transport) {
  PollBackoff backoff;
  while (true) {
    if (auto message = transport.receive()) return std::move(*message);
    backoff.sleep();
  }
}

// The jobs that the coordinator sends to this worker.
class RemoteJobs : public Jobs {
 public:
  explicit RemoteJobs(Transport& transport) : transport_(transport) {}

  std::optional<Job> next(bool wait) override {
    while (!is_over_) {
      auto message = wait ? wait_for_message(transport_) : transport_.receive();
      if (!message) return std::nullopt;
      if (auto job = read_job(*message)) return job;
    }
    return std::nullopt;
  }

  // Known from the messages that next() has read.
  bool is_over() override { return is_over_; }

  void answer(std::size_t job, std::string bytes) override { send(MessageType::Answer, job, bytes); }
  void fail(std::size_t job, std::exception_ptr error) override { send(MessageType::JobFailed, job, to_bytes(error)); }

  void wait_until_over() {
    while (!is_over_) read_job(wait_for_message(transport_));
  }

 private:
  // Nothing if the message ends the round.
  std::optional<Job> read_job(const Transport::Message& message) {
    if (type_of(message) != MessageType::Job) {
      is_over_ = true;
      return std::nullopt;
    }
    ByteReader reader(std::string_view(message.bytes).substr(1), kDamagedMessage);
    Job job;
    job.number = reader.number<std::uint64_t>();
    job.bytes = reader.text();
    return job;
  }

  void send(MessageType type, std::size_t job, std::string_view bytes) {
    ByteWriter writer;
    writer.number<std::uint64_t>(job);
    writer.text(bytes);
    transport_.send(0, make_message(type, writer.release()));
  }

  Transport& transport_;
  bool is_over_ = false;
};

void run_order(Transport& transport, const OrderHandler& handler, const std::string& order) {
  RemoteJobs jobs(transport);
  std::string summary;
  try {
    summary = handler(order)(jobs);
  } catch (...) {
    transport.send(0, make_message(MessageType::OrderFailed, to_bytes(std::current_exception())));
  }
  jobs.wait_until_over();
  transport.send(0, make_message(MessageType::Finished, summary));
}

}  // namespace

void run_worker(Transport& transport, const OrderHandler& handler) {
  transport.send(0, make_message(MessageType::Hello, to_bytes(this_process())));
  while (true) {
    const Transport::Message message = wait_for_message(transport);
    if (type_of(message) == MessageType::Exit) return;
    if (type_of(message) == MessageType::Order) run_order(transport, handler, message.bytes.substr(1));
  }
}

}  // namespace lpot
