#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "lpot/core/error.h"
#include "lpot/distributed/messages.h"
#include "tests/support/files.h"
#include "tests/support/thread_transport.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Answers with the order and the job. Job 13 of the order "bad" fails.
WorkerTask echo(const std::string& order) {
  if (order == "refused") throw ModelError("load_model", "net.onnx: no such file");
  return [order](Jobs& jobs) {
    while (auto job = jobs.next(true)) {
      try {
        if (order == "bad" && job->number == 13) throw DataError("npy", "sample 13 is cut off");
        jobs.answer(job->number, order + job->bytes);
      } catch (...) {
        jobs.fail(job->number, std::current_exception());
      }
    }
    return std::string("done");
  };
}

class CoordinatorOf : public testing::TestWithParam<int> {
 protected:
  Round round(const std::string& order, std::size_t jobs) {
    Round round{.order = order, .jobs = jobs};
    round.encode_job = [](std::size_t job) { return std::to_string(job); };
    round.local_task = echo(order == "refused" ? "" : order);
    round.collect = [this](std::size_t, const std::string& answer) {
      answers_.push_back(answer);
      return true;
    };
    return round;
  }
  WorkerThreads workers_{GetParam(), [](int) { return OrderHandler(echo); }};
  std::vector<std::string> answers_;
};

TEST_P(CoordinatorOf, CollectsTheAnswersInTheOrderOfTheJobs) {
  std::vector<std::string> expected;
  for (int i = 0; i < 500; ++i) expected.push_back("x" + std::to_string(i));
  workers_.coordinator().run(round("x", 500), {});
  EXPECT_EQ(answers_, expected);
}

TEST_P(CoordinatorOf, CollectsTheSummaryOfEveryProcess) {
  Round asked = round("x", 3);
  std::vector<std::string> summaries;
  asked.collect_summary = [&](const std::string& summary) { summaries.push_back(summary); };
  workers_.coordinator().run(asked, {});
  EXPECT_EQ(summaries, std::vector<std::string>(static_cast<std::size_t>(GetParam()), "done"));
}

TEST_P(CoordinatorOf, EndsTheRoundEarlyAndStartsTheNext) {
  Round asked = round("x", 100000);
  asked.collect = [this](std::size_t job, const std::string& answer) {
    answers_.push_back(answer);
    return job < 2;
  };
  workers_.coordinator().run(asked, {});
  workers_.coordinator().run(round("y", 2), {});
  EXPECT_THAT(answers_, ElementsAre("x0", "x1", "x2", "y0", "y1"));
}

TEST_P(CoordinatorOf, ThrowsTheErrorOfAJobAtItsPlaceInTheOrder) {
  EXPECT_EQ(message_of<DataError>([&] { workers_.coordinator().run(round("bad", 100), {}); }),
            "[npy] sample 13 is cut off");
  EXPECT_EQ(answers_.size(), 13u);
  Round ends_before = round("bad", 100);
  ends_before.collect = [](std::size_t job, const std::string&) { return job < 12; };
  workers_.coordinator().run(ends_before, {});  // job 13 is not needed
}

TEST_P(CoordinatorOf, ThrowsTheErrorOfAnOrderAndNamesTheWorker) {
  if (GetParam() == 1) return;
  EXPECT_THAT(
      message_of<ModelError>([&] { workers_.coordinator().run(round("refused", 0), {}); }),
      testing::AllOf(HasSubstr("[load_model] rank"), HasSubstr("process"), HasSubstr("net.onnx: no such file")));
  workers_.coordinator().run(round("x", 1), {});
  EXPECT_THAT(answers_, ElementsAre("x0"));
}

TEST_P(CoordinatorOf, StopsWhenTheObserverAsksTo) {
  Observer observer;
  std::atomic<bool> stop = false;
  observer.should_stop = [&] { return stop.load(); };
  Round asked = round("x", 1000000);
  asked.collect = [&](std::size_t job, const std::string&) {
    stop = job > 10;
    return true;
  };
  EXPECT_THROW(workers_.coordinator().run(asked, observer), Interrupted);
  workers_.coordinator().run(round("x", 1), {});
  EXPECT_THAT(answers_, ElementsAre("x0"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, CoordinatorOf, testing::Values(1, 2, 4));

// The worker is a process that sends only its first message.
TEST(CoordinatorOfProcesses, NamesAWorkerThatHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ThreadTransport::Mailboxes boxes(2);
  for (auto& box : boxes) box = std::make_unique<ThreadTransport::Mailbox>();
  ThreadTransport first(0, boxes), second(1, boxes);
  Peer peer = this_process();
  peer.process = child;
  second.send(0, make_message(MessageType::Hello, to_bytes(peer)));
  Coordinator coordinator(first);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto names_it = testing::AllOf(HasSubstr("rank 1 (process " + std::to_string(child)),
                                       HasSubstr("ended before its work was done"), HasSubstr("--resume"));
  EXPECT_THAT(message_of<DistributedError>([&] { coordinator.run({.order = "x"}, {}); }), names_it);
  EXPECT_THAT(message_of<DistributedError>([&] {
                const Observer observer = coordinator.watch({});
                while (true) observer.check_stop();
              }),
              names_it);
}

TEST(CoordinatorOfProcesses, RejectsACpuOfAnotherClass) {
  ThreadTransport::Mailboxes boxes(2);
  for (auto& box : boxes) box = std::make_unique<ThreadTransport::Mailbox>();
  ThreadTransport first(0, boxes), second(1, boxes);
  Peer peer = this_process();
  peer.cpu_class = "abacus";
  second.send(0, make_message(MessageType::Hello, to_bytes(peer)));
  EXPECT_THAT(message_of<DistributedError>([&] { Coordinator coordinator(first); }),
              testing::AllOf(HasSubstr("rank 1"), HasSubstr("abacus"), HasSubstr("ONEDNN_MAX_CPU_ISA")));
}

TEST(ThreadsPerPeer, SharesCoresThatSeveralPeersMayUse) {
  const Peer wide{"1", "a", 1, "avx2", {0, 1, 2, 3}}, bound{"1", "a", 2, "avx2", {4}},
      elsewhere{"1", "b", 3, "avx2", {0, 1, 2, 3}};
  EXPECT_THAT(threads_per_peer({wide, wide, bound, elsewhere}), ElementsAre(2, 2, 1, 4));
  EXPECT_THAT(threads_per_peer({bound, bound, bound}), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace lpot
