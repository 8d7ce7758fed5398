// What the tests of data sets share.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "lpot/core/error.h"
#include "lpot/data/dataset.h"

namespace lpot {

// A folder for one test, gone with it.
class TempFolder {
 public:
  TempFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("lpot_") + test->test_suite_name() + "_" + test->name() + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }

  void write_gz(const std::string& name, const std::string& bytes) const {
    gzFile file = gzopen((path_ / name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  }

 private:
  std::filesystem::path path_;
};

inline Component component(const std::string& name, std::map<std::string, Value> values = {}) {
  return {name, Parameters(std::move(values)), {}};
}

// The message of the error that `function` throws; fails the test when it throws none.
template <typename Expected>
std::string message_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.size()};
}

}  // namespace lpot
