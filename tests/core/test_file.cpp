#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "lpot/core/error.h"
#include "lpot/core/file.h"

namespace lpot {
namespace {
namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("lpot_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string text(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

  fs::path folder_;
};

TEST_F(FileTest, WritesAndReadsBack) {
  write_file(folder_ / "a.txt", "hello");
  write_file(folder_ / "a.txt", "world");
  EXPECT_EQ(text(read_file(folder_ / "a.txt")), "world");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(FileTest, KeepsTheOldFileAndNoOtherIfAWriterFails) {
  write_file(folder_ / "a.txt", "old");
  EXPECT_THROW(replace_file(folder_ / "a.txt",
                            [](const fs::path& temporary) {
                              std::ofstream(temporary) << "half";
                              throw StoreError("write", "disk full");
                            }),
               StoreError);
  EXPECT_EQ(text(read_file(folder_ / "a.txt")), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(FileTest, ReportsTheFileAndTheReasonIfItCannotWrite) {
  try {
    write_file(folder_ / "missing" / "a.txt", "x");
    FAIL() << "no error";
  } catch (const StoreError& error) {
    EXPECT_NE(std::string(error.what()).find("missing/a.txt: No such file or directory"), std::string::npos)
        << error.what();
  }
}

TEST_F(FileTest, DecompressesGzipAndRejectsATruncatedFile) {
  const fs::path whole = folder_ / "whole.gz";
  gzFile file = gzopen(whole.c_str(), "wb");
  std::string content;
  for (int i = 0; i < 50000; ++i) content += std::to_string(i * 7919);
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  EXPECT_EQ(text(read_file(whole)), content);

  fs::resize_file(whole, fs::file_size(whole) / 2);
  EXPECT_THROW(read_file(whole), DataError);
}

TEST_F(FileTest, FingerprintsDifferByOneByte) {
  write_file(folder_ / "a", "abc");
  write_file(folder_ / "b", "abd");
  EXPECT_NE(fingerprint_file(folder_ / "a"), fingerprint_file(folder_ / "b"));
  EXPECT_EQ(fingerprint_file(folder_ / "a"), Fingerprint().add("abc").hex());
}

TEST_F(FileTest, RejectsAFileThatDecompressesToMoreThanTheLimit) {
  gzFile file = gzopen((folder_ / "bomb.gz").c_str(), "wb");
  const std::string zeros(1 << 20, '\0');
  for (int i = 0; i < 8; ++i) gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
  gzclose(file);
  ASSERT_LT(fs::file_size(folder_ / "bomb.gz"), 20000u);
  EXPECT_EQ(read_file(folder_ / "bomb.gz", 8 << 20).size(), std::size_t{8} << 20);
  EXPECT_THROW(read_file(folder_ / "bomb.gz", (8 << 20) - 1), DataError);
  write_file(folder_ / "plain", "12345");
  EXPECT_EQ(text(read_file(folder_ / "plain", 5)), "12345");
  EXPECT_THROW(read_file(folder_ / "plain", 4), DataError);
}

}  // namespace
}  // namespace lpot
