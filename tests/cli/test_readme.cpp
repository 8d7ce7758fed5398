// Every block of code in README.md runs. Here those of the command line; the Python lines run in python/tests, the
// lines of CMake and C++ in tests/install, the configuration on CIFAR-10 in tests/real.
#include <map>
#include <optional>
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

// A line without what differs from run to run: numbers, their alignment, the names of ops that were found to be slower
// in int8, and the precision of everything that is not int8, which depends on the CPU.
std::string shape(std::string line) {
  for (const auto& [found, instead] : std::vector<std::pair<const char*, const char*>>{
           {" in (fp32|bf16|fp16)( \\(.*\\))?$", " in fp32"}, {"[-+]?[0-9][0-9.]*", "#"}, {" +|-+", " "}})
    line = std::regex_replace(line, std::regex(found), instead);
  return line;
}

// "latency, batch 1  0.134 ms  0.100 ms  1.35 x faster (1.32-1.38)"
struct LatencyRow {
  double fp32_ms = 0, int8_ms = 0, ratio = 0;
  bool says_faster = false;

  static std::optional<LatencyRow> parse(const std::string& line) {
    static const std::regex kRow(
        "latency, batch 1 +([0-9.]+) ms +([0-9.]+) ms +([0-9.]+) x (faster|slower)( \\([0-9.]+-[0-9.]+\\))?");
    std::smatch found;
    if (!std::regex_match(line, found, kRow)) return std::nullopt;
    return LatencyRow{std::stod(found[1]), std::stod(found[2]), std::stod(found[3]), found[4] == "faster"};
  }

  // Whether the ratio and the word are those of the latencies, which are rounded to 0.001 ms.
  bool agrees() const {
    constexpr double kHalfDigit = 0.0005;
    const double numerator = says_faster ? fp32_ms : int8_ms, denominator = says_faster ? int8_ms : fp32_ms;
    const double least = (numerator - kHalfDigit) / (denominator + kHalfDigit);
    const double most = (numerator + kHalfDigit) / (denominator - kHalfDigit);
    return ratio >= 1 && ratio >= least - 0.005 && ratio <= most + 0.005;
  }
};

// Which of the two models is faster depends on the machine; the row must say which one it is.
bool matches(const std::string& printed, const std::string& expected) {
  if (!LatencyRow::parse(expected)) return shape(printed) == shape(expected);
  const auto row = LatencyRow::parse(printed);
  return row && row->agrees();
}

TEST(LatencyRow, AgreesOnlyIfTheWordAndTheRatioAreThoseOfTheLatencies) {
  const auto agrees = [](const std::string& line) { return LatencyRow::parse(line).value().agrees(); };
  EXPECT_TRUE(agrees("latency, batch 1  0.134 ms  0.100 ms   1.35 x faster"));
  EXPECT_TRUE(agrees("latency, batch 1  0.134 ms  0.100 ms  1.35 x faster (1.32-1.38)"));
  EXPECT_TRUE(agrees("latency, batch 1  0.100 ms  0.134 ms   1.34 x slower"));
  EXPECT_FALSE(agrees("latency, batch 1  0.100 ms  0.134 ms   1.34 x faster"));
  EXPECT_FALSE(agrees("latency, batch 1  0.100 ms  0.134 ms   0.75 x faster"));
  EXPECT_FALSE(agrees("latency, batch 1  0.134 ms  0.100 ms   1.50 x faster"));
  EXPECT_FALSE(LatencyRow::parse("latency, batch 1  0.134 ms  0.100 ms   1.35 x"));
}

TEST_F(ReadmeTest, EveryLatencyRowSaysFasterAsItsLatenciesDo) {
  int rows = 0;
  for (const Block& block : readme_blocks("text"))
    for (const std::string& line : block.lines())
      if (line.starts_with("latency")) {
        const auto row = LatencyRow::parse(line);
        EXPECT_TRUE(row && row->agrees() && row->says_faster) << line;
        ++rows;
      }
  EXPECT_EQ(rows, 3);
}

// The Python blocks and their text run in python/tests/test_readme.py.
TEST_F(ReadmeTest, EveryBlockIsOneThatATestRuns) {
  std::map<std::string, int> counts;
  for (const Block& block : blocks_of(LPOT_SOURCE_DIR "/README.md")) ++counts[block.language];
  EXPECT_EQ(counts,
            (std::map<std::string, int>{{"sh", 2}, {"text", 3}, {"python", 2}, {"yaml", 1}, {"cmake", 1}, {"cpp", 1}}));
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
    while (std::getline(printed, line) && !matches(line, expected)) continue;
    EXPECT_TRUE(printed) << "not printed, or not in this order: " << expected << "\n" << run.out;
  }
}

TEST_F(ReadmeTest, EveryLineOfUseWorks) {
  fs::copy_file(kModel, folder_ / "model.onnx");
  write_pictures("pictures", 400);
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
