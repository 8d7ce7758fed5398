#include <gmock/gmock.h>

#include "lpot/distributed/local_worker.h"
#include "lpot/distributed/messages.h"
#include "lpot/distributed/peer.h"
#include "lpot/distributed/poll_backoff.h"
#include "tests/support/thread_transport.h"

namespace lpot {
namespace {

TEST(LocalWorker, AnswersJobsAndGivesItsSummary) {
  const WorkerTask task = [](Jobs& jobs) {
    while (const std::optional<Job> job = jobs.next(true)) jobs.answer(job->number, job->bytes + "!");
    return std::string("summary");
  };
  std::map<std::size_t, std::string> used;
  const auto use = [&](std::size_t job, const JobAnswer& answer) { used[job] = answer.bytes; };
  LocalWorker worker(task);
  worker.assign({0, "bytes"});
  while (used.empty())
    for (const auto& [job, answer] : worker.answers()) use(job, answer);
  worker.finish();
  EXPECT_EQ(used.at(0), "bytes!");
  EXPECT_EQ(worker.summary(), "summary");
}

TEST(Messages, ArriveWithTheirSenderAndContent) {
  ThreadTransport::Mailboxes boxes(2);
  for (auto& box : boxes) box = std::make_unique<ThreadTransport::Mailbox>();
  ThreadTransport first(0, boxes), transport(1, boxes);
  const std::string summary = "done", bytes = to_bytes(this_process());
  transport.send(0, make_message(MessageType::Finished, summary));
  PollBackoff backoff;
  std::optional<Transport::Message> message;
  while (!(message = first.receive())) backoff.sleep();
  EXPECT_EQ(message->from, 1);
  EXPECT_EQ(message->bytes.substr(1), summary);
  std::vector<int> threads = threads_per_peer({this_process(), peer_from_bytes(bytes)});
  EXPECT_EQ(threads.size(), 2u);
}

}  // namespace
}  // namespace lpot
