#include "lpot/share/helper.h"

#include "lpot/share/member.h"
#include "lpot/share/messages.h"
#include "lpot/share/nap.h"

namespace lpot {
namespace {

Say kind_of(const Team::Message& message) { return static_cast<Say>(message.bytes.at(0)); }

Team::Message wait_for_message(Team& team) {
  Nap nap;
  while (true) {
    if (auto message = team.receive()) return std::move(*message);
    nap.sleep();
  }
}

class JobsFromRank0 : public Jobs {
 public:
  explicit JobsFromRank0(Team& team) : team_(team) {}

  std::optional<Job> next(bool wait) override {
    while (!is_over_) {
      auto message = wait ? wait_for_message(team_) : team_.receive();
      if (!message) return std::nullopt;
      if (auto job = take(*message)) return job;
    }
    return std::nullopt;
  }

  // Whether it is over is known from what has come, so that comes first.
  bool is_over() override { return is_over_; }

  void answer(std::size_t job, std::string bytes) override { send(Say::Answer, job, bytes); }
  void fail(std::size_t job, std::exception_ptr error) override { send(Say::Failed, job, to_bytes(error)); }

  void wait_until_over() {
    while (!is_over_) take(wait_for_message(team_));
  }

 private:
  std::optional<Job> take(const Team::Message& message) {
    if (kind_of(message) != Say::Task) {
      is_over_ = true;
      return std::nullopt;
    }
    ByteReader reader(std::string_view(message.bytes).substr(1), kGarbled);
    Job job;
    job.number = reader.number<std::uint64_t>();
    job.bytes = reader.text();
    return job;
  }

  void send(Say what, std::size_t job, std::string_view bytes) {
    ByteWriter writer;
    writer.number<std::uint64_t>(job);
    writer.text(bytes);
    team_.send(0, say(what, writer.take()));
  }

  Team& team_;
  bool is_over_ = false;
};

void take_part(Team& team, const Orders& orders, const std::string& order) {
  JobsFromRank0 jobs(team);
  std::string last;
  try {
    last = orders(order)(jobs);
  } catch (...) {
    team.send(0, say(Say::Unable, to_bytes(std::current_exception())));
  }
  jobs.wait_until_over();
  team.send(0, say(Say::Finished, last));
}

}  // namespace

void serve(Team& team, const Orders& orders) {
  team.send(0, say(Say::Here, to_bytes(this_process())));
  while (true) {
    const Team::Message message = wait_for_message(team);
    if (kind_of(message) == Say::Leave) return;
    if (kind_of(message) == Say::Order) take_part(team, orders, message.bytes.substr(1));
  }
}

}  // namespace lpot
