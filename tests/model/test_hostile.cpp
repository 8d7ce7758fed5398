// Models that are damaged, or made to harm: a ModelError, whatever the front ends do with them.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/model/sandboxed_load.h"
#include "tests/model/load_mutants.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kData = fs::path(LPOT_SOURCE_DIR) / "tests/model/data";

void expect_no_death(const fs::path& model, const fs::path& file) {
  const Mutants mutants = load_mutants(model, file, {.seed = 7, .count = 24});
  EXPECT_THAT(mutants.died, IsEmpty()) << file;
  EXPECT_GT(mutants.refused, 0u) << file;
}

TEST(DamagedModel, OfOnnxEndsNoProcess) { expect_no_death(quickstart_model(), quickstart_model()); }

TEST(DamagedModel, OfTensorFlowLiteEndsNoProcess) {
  expect_no_death(kData / "network.tflite", kData / "network.tflite");
}

TEST(DamagedModel, OfTensorFlowEndsNoProcess) {
  expect_no_death(kData / "saved_model", kData / "saved_model/saved_model.pb");
}

// The front end reads beyond the end of a damaged table of variables: signal 11.
TEST(DamagedModel, WithDamagedVariablesEndsNoProcess) {
  expect_no_death(kData / "saved_model", kData / "saved_model/variables/variables.index");
}

TEST(DamagedModel, OfOpenVinoEndsNoProcess) {
  TempFolder folder;
  ov::serialize(load_model(quickstart_model()).graph, (folder / "net.xml").string());
  expect_no_death(folder / "net.xml", folder / "net.xml");
  const Mutants cut = load_mutants(folder / "net.xml", folder / "net.bin", {.seed = 7, .count = 12});
  EXPECT_THAT(cut.died, IsEmpty());
}

// The front end would look for each of two billion versions.
TEST(DamagedModel, WithOperatorsOfAVersionThatNoneHasIsRefusedAtOnce) {
  TempFolder folder;
  const std::string version = "\x42\x06\x10\x80\x80\x80\x80\x08";
  EXPECT_THAT(
      message_of<ModelError>([&] { load_model(folder.write("net.onnx", read_bytes(quickstart_model()) + version)); }),
      HasSubstr("asks for version 2147483648 of its operators"));
}

std::string error_of(const std::function<void()>& load) {
  return message_of<ModelError>([&] { ReadingCopy(load, 1000).check("net.onnx"); });
}

TEST(ReadingCopy, TellsHowTheReaderDied) {
  EXPECT_THAT(error_of([] { ::raise(SIGSEGV); }), HasSubstr("net.onnx: reading it ended the reader by signal 11"));
  EXPECT_THAT(error_of([] { std::abort(); }), HasSubstr("signal 6"));
  EXPECT_THAT(error_of([] { std::_Exit(3); }), HasSubstr("exit code 3"));
}

TEST(ReadingCopy, HandsOnWhatTheReaderSays) {
  EXPECT_EQ(error_of([] { throw ModelError("load_model", "net.onnx: no such op"); }),
            "[load_model] net.onnx: no such op");
}

TEST(ReadingCopy, KnowsNothingOfAReaderThatWasStopped) {
  EXPECT_TRUE(ReadingCopy([] {}, 1000).check("net.onnx"));
  EXPECT_FALSE(ReadingCopy([] { ::raise(SIGINT); }, 1000).check("net.onnx"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ReadingCopy, LimitsTheMemoryOfTheReader) {
  // Asked for and not touched: it is the limit that says no, not the machine.
  const auto fill = [] {
    std::vector<std::unique_ptr<char[]>> pieces;
    for (int i = 0; i < 8; ++i) pieces.emplace_back(new char[std::size_t{1} << 30]);
  };
  EXPECT_THAT(error_of(fill), HasSubstr("bad_alloc"));
}
#endif

TEST(ReadingCopy, EndsAReaderThatDoesNotEnd) {
  const auto for_ever = [] {
    while (true) std::atomic_signal_fence(std::memory_order_seq_cst);
  };
  EXPECT_THAT(message_of<ModelError>([&] { ReadingCopy(for_ever, 1000, 1).check("net.onnx"); }),
              HasSubstr("CPU time limit"));
}

TEST(ReadingCopy, WorksInAProcessWithThreads) {
  std::thread other([] { ::sleep(1); });
  EXPECT_THAT(error_of([] { ::raise(SIGSEGV); }), HasSubstr("signal 11"));
  other.join();
}

}  // namespace
}  // namespace lpot
