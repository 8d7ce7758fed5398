#include "lpot/core/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "lpot/core/affinity.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(Process, ReturnsLinesThenTheExitCode) {
  Process process(shell("echo one; printf 'two'; exit 3"));
  EXPECT_EQ(process.read_line(), "one");
  EXPECT_EQ(process.read_line(), "two");  // the last line may have no line break
  EXPECT_EQ(process.read_line(), std::nullopt);
  EXPECT_EQ(process.wait(), 3);
}

TEST(Process, ReceivesTheLinesThatAreWritten) {
  Process process(shell("while read -r line; do echo \"<$line>\"; done"));
  EXPECT_TRUE(process.write_line("a b"));
  EXPECT_EQ(process.read_line(), "<a b>");
  EXPECT_EQ(process.wait(), 0);  // its input ends
}

TEST(Process, ExchangesBytesOfAnyNumber) {
  Process process({"/bin/sh", "-c", "head -c 3000000; echo end"});
  std::string bytes(3'000'000, 'x');
  bytes.back() = 'y';
  std::thread writer([&] { EXPECT_TRUE(process.write(bytes)); });  // the child answers before it has read everything
  std::string read(bytes.size(), ' ');
  EXPECT_TRUE(process.read(read.data(), read.size()));
  writer.join();
  EXPECT_EQ(read, bytes);
  EXPECT_EQ(process.read_line(), "end");
  EXPECT_FALSE(process.read(read.data(), 1)) << "the output has ended";
}

TEST(Process, ReportsTheSignalThatEndedIt) {
  Process process(shell("kill -9 $$"));
  EXPECT_EQ(process.read_line(), std::nullopt);
  EXPECT_EQ(process.wait(), 128 + 9);
}

TEST(Process, NamesAProgramThatCannotBeStarted) {
  EXPECT_THAT(message_of<ConfigError>([] { Process({"/nowhere/program"}); }),
              testing::AllOf(testing::HasSubstr("/nowhere/program"), testing::HasSubstr("No such file")));
}

TEST(Process, KillsTheProcessGroupOnAStopRequest) {
  const TempFolder folder;
  {
    Process process(shell("(sleep 60; echo late > " + (folder / "late").string() + ") & echo $!; wait"));
    const std::string child = *process.read_line();
    EXPECT_THROW(process.read_line({{}, {}, [] { return true; }}), Interrupted);
  }
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(ShellQuoted, QuotesSpecialCharacters) {
  for (const std::string word : {"plain", "two words", "it's", "$HOME `ls` \"x\" \\ *"}) {
    Process process(shell("printf %s " + shell_quoted(word)));
    EXPECT_EQ(process.read_line(), word);
  }
}

TEST(BindToCores, RestrictsTheProcessToTheCores) {
  const int core = usable_cores().back();
  const pid_t child = ::fork();  // the test itself stays unbound
  if (child == 0) {
    bind_to_cores({core});
    ::_exit(usable_cores() == std::vector<int>{core} ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(BindToCores, NamesCoresThatDoNotExist) {
  EXPECT_THAT(message_of<ConfigError>([] { bind_to_cores({1000}); }), testing::HasSubstr("1000"));
}

}  // namespace
}  // namespace lpot
