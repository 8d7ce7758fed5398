// Runs the built program in a folder of the test's own and catches what it says.
//
//   const Outcome run = lpot({"inspect", kModel, "--json"});
//   EXPECT_EQ(run.code, 0) << run.err;
//
#pragma once
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/files.h"

namespace lpot {

using Json = nlohmann::json;

inline const std::string kModel = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";

// The head of a config for kModel: Fashion-MNIST's first 32 test images, calibrated with 8 of them. Append a metric,
// indented one level more than `accuracy`.
inline const std::string kData = R"(model: {name: net}
quantization: {calibration: {sampling_size: 8}, recipes: {forms: plain}}
evaluation:
  accuracy:
    iteration: 4
    dataloader:
      batch_size: 8
      dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}
      transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}
)";
inline const std::string kTop1 = kData + "    metric: {topk: 1}\n";

// A goal that no int8 model reaches: not one output may differ from fp32's.
inline const std::string kUnreachable =
    kData + "    metric: {MSE: {compare_label: false}}\ntuning:\n  accuracy_criterion: {absolute: 0}\n";

struct Outcome {
  int code = -1;  // -1: a signal ended it
  std::string out;
  std::string err;

  Json json() const {
    const Json parsed = Json::parse(out, nullptr, false);
    if (parsed.is_discarded()) ADD_FAILURE() << "standard output is not JSON alone:\n" << out << "\nerror:\n" << err;
    return parsed;
  }
  std::vector<std::string> err_lines() const {
    std::vector<std::string> lines;
    for (std::size_t start = 0, end; (end = err.find('\n', start)) != std::string::npos; start = end + 1)
      lines.push_back(err.substr(start, end - start));
    return lines;
  }
};

// A program that runs.
class Running {
 public:
  Running(const std::vector<std::string>& words, const std::filesystem::path& folder, std::size_t largest_file,
          const std::string& out = "")
      : out_(out.empty() ? (folder / ".out").string() : out), err_(folder / ".err") {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("cannot start a process");
    if (child > 0) {
      process_ = child;
      return;
    }
    // As on a full disk: writes beyond the limit fail.
    const rlimit limit{largest_file, largest_file};
    if (largest_file > 0) ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~Running() {
    kill(SIGKILL);
    wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Only a child that was not waited for yet: its number is still its own. (kill(-1, ...) would mean every process.)
  void kill(int signal) {
    if (is_running()) ::kill(*process_, signal);
  }

  // Whether `condition` came true while the program ran.
  bool wait_until(const std::function<bool()>& condition) {
    while (is_running()) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return false;
  }

  Outcome wait() {
    if (process_) ::waitpid(*process_, &status_, 0);
    process_.reset();
    // A device such as /dev/full never ends.
    const bool is_file = std::filesystem::is_regular_file(out_);
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -1, is_file ? read_bytes(out_) : "", read_bytes(err_)};
  }

  std::string err() const { return read_bytes(err_); }

 private:
  bool is_running() {
    if (process_ && ::waitpid(*process_, &status_, WNOHANG) == *process_) process_.reset();
    return process_.has_value();
  }

  std::string out_, err_;
  std::optional<pid_t> process_;  // until it was waited for
  int status_ = 0;
};

class CliTest : public testing::Test {
 protected:
  // Images of Fashion-MNIST in class folders.
  void write_pictures(const std::string& name, int count) const {
    const Outcome made = Running({"/usr/bin/env", "python3", LPOT_SOURCE_DIR "/tests/support/fashion_pictures.py",
                                  folder_ / name, std::to_string(count)},
                                 folder_ / "", 0)
                             .wait();
    ASSERT_EQ(made.code, 0) << made.err;
  }

  Outcome lpot(std::vector<std::string> words) const { return start(std::move(words))->wait(); }

  // Limits each file that lpot writes to `largest_file` bytes.
  Outcome lpot_on_full_disk(std::vector<std::string> words, std::size_t largest_file) const {
    words.insert(words.begin(), LPOT_PROGRAM);
    return Running(words, folder_ / "", largest_file).wait();
  }

  std::unique_ptr<Running> start(std::vector<std::string> words) const {
    words.insert(words.begin(), LPOT_PROGRAM);
    return std::make_unique<Running>(words, folder_ / "", 0);
  }

  std::string write(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text);
    return name;
  }

  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  // Exit 1, nothing on standard output, and one line of error that holds all of `parts`. The program ran with --quiet.
  static void expect_one_message(const Outcome& run, const std::vector<std::string>& parts) {
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.out, "");
    ASSERT_EQ(run.err_lines().size(), 1u) << run.err;
    EXPECT_THAT(run.err, testing::StartsWith("lpot: ["));
    for (const std::string& part : parts) EXPECT_THAT(run.err, testing::HasSubstr(part));
  }

  TempFolder folder_;
};

// An array as NumPy saves it.
template <typename T>
std::string npy_bytes(const std::string& type, const std::string& shape, const std::vector<T>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 0xff) +
                      static_cast<char>(header.size() >> 8) + header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

}  // namespace lpot
