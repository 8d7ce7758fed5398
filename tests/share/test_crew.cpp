#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "lpot/core/error.h"
#include "lpot/share/messages.h"
#include "tests/support/files.h"
#include "tests/support/thread_team.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Answers with what the order says and the job; job 13 of an order "bad" fails.
Duty echo(const std::string& order) {
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

class CrewOf : public testing::TestWithParam<int> {
 protected:
  Round round(const std::string& order, std::size_t jobs) {
    Round round{.order = order, .jobs = jobs};
    round.job = [](std::size_t job) { return std::to_string(job); };
    round.work = echo(order == "refused" ? "" : order);
    round.take = [this](std::size_t, const std::string& answer) {
      answers_.push_back(answer);
      return true;
    };
    return round;
  }
  TeamOfThreads team_{GetParam(), [](int) { return Orders(echo); }};
  std::vector<std::string> answers_;
};

TEST_P(CrewOf, TakesTheAnswersInTheOrderOfTheJobs) {
  std::vector<std::string> expected;
  for (int i = 0; i < 500; ++i) expected.push_back("x" + std::to_string(i));
  team_.crew().run(round("x", 500), {});
  EXPECT_EQ(answers_, expected);
}

TEST_P(CrewOf, GetsTheLastWordsOfAll) {
  Round asked = round("x", 3);
  std::vector<std::string> last;
  asked.take_last = [&](const std::string& words) { last.push_back(words); };
  team_.crew().run(asked, {});
  EXPECT_EQ(last, std::vector<std::string>(static_cast<std::size_t>(GetParam()), "done"));
}

TEST_P(CrewOf, EndsTheRoundWhenNoMoreIsNeededAndIsReadyForTheNext) {
  Round asked = round("x", 100000);
  asked.take = [this](std::size_t job, const std::string& answer) {
    answers_.push_back(answer);
    return job < 2;
  };
  team_.crew().run(asked, {});
  team_.crew().run(round("y", 2), {});
  EXPECT_THAT(answers_, ElementsAre("x0", "x1", "x2", "y0", "y1"));
}

TEST_P(CrewOf, ThrowsWhatAJobThrewWhenItsTurnComes) {
  EXPECT_EQ(message_of<DataError>([&] { team_.crew().run(round("bad", 100), {}); }), "[npy] sample 13 is cut off");
  EXPECT_EQ(answers_.size(), 13u);
  Round ends_before = round("bad", 100);
  ends_before.take = [](std::size_t job, const std::string&) { return job < 12; };
  team_.crew().run(ends_before, {});  // nobody asked for job 13
}

TEST_P(CrewOf, ThrowsWhatAHelperCannotDoAndNamesTheHelper) {
  if (GetParam() == 1) return;
  EXPECT_THAT(
      message_of<ModelError>([&] { team_.crew().run(round("refused", 0), {}); }),
      testing::AllOf(HasSubstr("[load_model] rank"), HasSubstr("process"), HasSubstr("net.onnx: no such file")));
  team_.crew().run(round("x", 1), {});
  EXPECT_THAT(answers_, ElementsAre("x0"));
}

TEST_P(CrewOf, StopsWhenItIsAskedTo) {
  Observer observer;
  std::atomic<bool> stop = false;
  observer.should_stop = [&] { return stop.load(); };
  Round asked = round("x", 1000000);
  asked.take = [&](std::size_t job, const std::string&) {
    stop = job > 10;
    return true;
  };
  EXPECT_THROW(team_.crew().run(asked, observer), Interrupted);
  team_.crew().run(round("x", 1), {});
  EXPECT_THAT(answers_, ElementsAre("x0"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, CrewOf, testing::Values(1, 2, 4));

// A helper that is a process of its own, and says nothing but that it is there.
TEST(CrewOfProcesses, NamesAHelperThatHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ThreadTeam::Mailboxes boxes(2);
  for (auto& box : boxes) box = std::make_unique<ThreadTeam::Mailbox>();
  ThreadTeam first(0, boxes), second(1, boxes);
  Member member = this_process();
  member.process = child;
  second.send(0, say(Say::Here, to_bytes(member)));
  Crew crew(first);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto names_it = testing::AllOf(HasSubstr("rank 1 (process " + std::to_string(child)), HasSubstr("has ended"),
                                       HasSubstr("--resume"));
  EXPECT_THAT(message_of<TeamError>([&] { crew.run({.order = "x"}, {}); }), names_it);
  EXPECT_THAT(message_of<TeamError>([&] {
                const Observer observer = crew.watch({});
                while (true) observer.check_stop();
              }),
              names_it);
}

TEST(CrewOfProcesses, RefusesACpuOfAnotherClass) {
  ThreadTeam::Mailboxes boxes(2);
  for (auto& box : boxes) box = std::make_unique<ThreadTeam::Mailbox>();
  ThreadTeam first(0, boxes), second(1, boxes);
  Member member = this_process();
  member.cpu_class = "abacus";
  second.send(0, say(Say::Here, to_bytes(member)));
  EXPECT_THAT(message_of<TeamError>([&] { Crew crew(first); }),
              testing::AllOf(HasSubstr("rank 1"), HasSubstr("abacus"), HasSubstr("ONEDNN_MAX_CPU_ISA")));
}

TEST(ThreadsOfEach, ShareOutTheCoresOfThoseThatMayUseTheSame) {
  const Member wide{"1", "a", 1, "avx2", {0, 1, 2, 3}}, bound{"1", "a", 2, "avx2", {4}},
      elsewhere{"1", "b", 3, "avx2", {0, 1, 2, 3}};
  EXPECT_THAT(threads_of_each({wide, wide, bound, elsewhere}), ElementsAre(2, 2, 1, 4));
  EXPECT_THAT(threads_of_each({bound, bound, bound}), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace lpot
