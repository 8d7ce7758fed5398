// Every block of code in README.md runs. Here those of the command line; the Python lines run in python/tests, the
// lines of CMake and C++ in tests/install, the configuration on CIFAR-10 in tests/real.
#include <map>
#include <regex>

#include "tests/cli/blocks.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;

class ReadmeTest : public CliTest {
 protected:
  Outcome bash(const std::string& line) const {
    const std::string before = "unset MAKEFLAGS; PATH=" + fs::path(LPOT_PROGRAM).parent_path().string() +
                               ":/usr/bin:/bin; set -euo pipefail\n";
    return Running({"/bin/bash", "-c", before + line}, folder_ / "", 0).wait();
  }
};

// A line without what differs from run to run: numbers, their alignment, which way a comparison went, and the names of
// ops that were found to be slower in int8.
std::string shape(std::string line) {
  for (const auto& [found, instead] :
       std::vector<std::pair<const char*, const char*>>{{" in fp32 \\(.*\\)$", " in fp32"},
                                                        {"[-+]?[0-9][0-9.]*", "#"},
                                                        {" +|-+", " "},
                                                        {"slower", "faster"},
                                                        {"larger", "smaller"}})
    line = std::regex_replace(line, std::regex(found), instead);
  return line;
}

TEST_F(ReadmeTest, EveryBlockIsOneThatATestRuns) {
  std::map<std::string, int> counts;
  for (const Block& block : blocks_of(LPOT_SOURCE_DIR "/README.md")) ++counts[block.language];
  EXPECT_EQ(counts,
            (std::map<std::string, int>{{"sh", 2}, {"text", 2}, {"python", 1}, {"yaml", 1}, {"cmake", 1}, {"cpp", 1}}));
}

TEST_F(ReadmeTest, TheTwoCommandsAreThereAndTheQuickStartEndsAsShown) {
  const std::string build = fs::path(LPOT_PROGRAM).parent_path().parent_path().string();
  for (const std::string& line : readme_blocks("sh").at(0).lines()) {
    ASSERT_TRUE(line.starts_with("make ")) << line;
    const Outcome run = bash("make -n -C " LPOT_SOURCE_DIR " BUILD=" + build + line.substr(4));
    EXPECT_EQ(run.code, 0) << line << "\n" << run.err;
  }
  // What is already built is not built again: the last line of the quick start is the one that tunes.
  fs::create_directory_symlink(LPOT_SOURCE_DIR "/examples", folder_ / "examples");
  const Outcome run = bash("eval \"$(make -n --no-print-directory -C " LPOT_SOURCE_DIR " BUILD=" + build +
                           " quickstart | tail -n 1)\"");
  ASSERT_EQ(run.code, 0) << run.err;
  std::istringstream printed(run.out);
  for (const std::string& expected : readme_blocks("text").at(0).lines()) {
    std::string line;
    while (std::getline(printed, line) && shape(line) != shape(expected)) continue;
    EXPECT_TRUE(printed) << "not printed, or not in this order: " << expected << "\n" << run.out;
  }
}

TEST_F(ReadmeTest, EveryLineOfUseWorks) {
  fs::copy_file(kModel, folder_ / "model.onnx");
  for (const std::string& line : readme_blocks("sh").at(1).lines()) {
    if (line.starts_with("lpot serve ")) {  // runs until it is stopped
      const std::string workspace = line.substr(11, line.find(' ', 11) - 11);
      const auto server = start({"serve", workspace, "--port", "0"});
      EXPECT_TRUE(server->wait_until([&] { return read_bytes(folder_ / ".out").find("http") != std::string::npos; }))
          << line << "\n"
          << server->err();
      server->kill(SIGINT);
      EXPECT_EQ(server->wait().code, 0);
    } else {
      const Outcome run = bash(line);
      EXPECT_EQ(run.code, 0) << line << "\n" << run.out << run.err;
    }
  }
}

}  // namespace
}  // namespace lpot
