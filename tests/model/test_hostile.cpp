// Damaged and hostile models give a ModelError, even if the front end crashes.
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

const fs::path kModelFiles = fs::path(LPOT_SOURCE_DIR) / "tests/model/data";

void expect_no_crash(const fs::path& model, const fs::path& file) {
  const Mutants mutants = load_mutants(model, file, {.seed = 7, .count = 24});
  EXPECT_THAT(mutants.crashed, IsEmpty()) << file;
  EXPECT_GT(mutants.rejected, 0u) << file;
}

TEST(DamagedModel, OfOnnxDoesNotCrash) { expect_no_crash(quickstart_model(), quickstart_model()); }

TEST(DamagedModel, OfTensorFlowLiteDoesNotCrash) {
  expect_no_crash(kModelFiles / "network.tflite", kModelFiles / "network.tflite");
}

TEST(DamagedModel, OfTensorFlowDoesNotCrash) {
  expect_no_crash(kModelFiles / "saved_model", kModelFiles / "saved_model/saved_model.pb");
}

// The front end crashes with signal 11: it reads beyond the end of a damaged table of variables.
TEST(DamagedModel, WithDamagedVariablesDoesNotCrash) {
  expect_no_crash(kModelFiles / "saved_model", kModelFiles / "saved_model/variables/variables.index");
}

TEST(DamagedModel, OfOpenVinoDoesNotCrash) {
  TempFolder folder;
  ov::serialize(load_model(quickstart_model()).graph, (folder / "net.xml").string());
  expect_no_crash(folder / "net.xml", folder / "net.xml");
  const Mutants cut = load_mutants(folder / "net.xml", folder / "net.bin", {.seed = 7, .count = 12});
  EXPECT_THAT(cut.crashed, IsEmpty());
}

// The front end would try each of two billion versions.
TEST(DamagedModel, WithAnImpossibleOperatorSetVersionIsRejectedAtOnce) {
  TempFolder folder;
  const std::string version = "\x42\x06\x10\x80\x80\x80\x80\x08";
  EXPECT_THAT(
      message_of<ModelError>([&] { load_model(folder.write("net.onnx", read_bytes(quickstart_model()) + version)); }),
      HasSubstr("found operator set version 2147483648; expected 0 to 1000"));
}

std::string error_of(const std::function<void()>& load) {
  return message_of<ModelError>([&] { SandboxedLoad(load, 1000).wait("net.onnx"); });
}

TEST(SandboxedLoad, ReportsHowTheChildCrashed) {
  EXPECT_THAT(error_of([] { ::raise(SIGSEGV); }),
              HasSubstr("net.onnx: the process that loaded the model ended with signal 11"));
  EXPECT_THAT(error_of([] { std::abort(); }), HasSubstr("signal 6"));
  EXPECT_THAT(error_of([] { std::_Exit(3); }), HasSubstr("exit code 3"));
}

TEST(SandboxedLoad, ForwardsTheErrorOfTheChild) {
  EXPECT_EQ(error_of([] { throw ModelError("load_model", "net.onnx: no such op"); }),
            "[load_model] net.onnx: no such op");
}

TEST(SandboxedLoad, IsInconclusiveIfTheChildWasStopped) {
  EXPECT_TRUE(SandboxedLoad([] {}, 1000).wait("net.onnx"));
  EXPECT_FALSE(SandboxedLoad([] { ::raise(SIGINT); }, 1000).wait("net.onnx"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(SandboxedLoad, LimitsTheMemoryOfTheChild) {
  // The memory is allocated but not used, so the limit fails and not the machine.
  const auto fill = [] {
    std::vector<std::unique_ptr<char[]>> pieces;
    for (int i = 0; i < 8; ++i) pieces.emplace_back(new char[std::size_t{1} << 30]);
  };
  EXPECT_THAT(error_of(fill), HasSubstr("bad_alloc"));
}
#endif

TEST(SandboxedLoad, KillsAChildThatDoesNotEnd) {
  const auto for_ever = [] {
    while (true) std::atomic_signal_fence(std::memory_order_seq_cst);
  };
  EXPECT_THAT(message_of<ModelError>([&] { SandboxedLoad(for_ever, 1000, 1).wait("net.onnx"); }),
              HasSubstr("CPU time limit"));
}

TEST(SandboxedLoad, WorksInAProcessWithThreads) {
  std::thread other([] { ::sleep(1); });
  EXPECT_THAT(error_of([] { ::raise(SIGSEGV); }), HasSubstr("signal 11"));
  other.join();
}

}  // namespace
}  // namespace lpot
