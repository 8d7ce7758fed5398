#include "lpot/tune/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/files.h"

namespace lpot {
namespace {

TEST(StatusFile, HasTheProgressWhileTheStudyRuns) {
  const TempFolder folder;
  EXPECT_TRUE(read_status(folder.path(), 1).is_null());
  {
    StatusFile status(folder.path(), 1);
    std::size_t told = 0;
    Observer caller;
    caller.on_progress = [&](const Progress&) { ++told; };
    const Observer watched = status.watch(caller);
    watched.progress("evaluate", 3, 10);
    watched.progress("evaluate", 4, 10);
    EXPECT_EQ(told, 2u) << "the caller hears everything";
    const auto found = read_status(folder.path(), 1);
    EXPECT_EQ(found["stage"], "evaluate");
    EXPECT_EQ(found["total"], 10);
    EXPECT_TRUE(read_status(folder.path(), 2).is_null()) << "another study";
  }
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(StatusFile, IsIgnoredForADeadProcessOrDamagedContent) {
  const TempFolder folder;
  // Larger than any process number that Linux gives.
  folder.write("progress.json", R"({"pid": 4194305, "study": 1, "stage": "evaluate", "done": 1, "total": 2})");
  EXPECT_TRUE(read_status(folder.path(), 1).is_null());
  folder.write("progress.json", R"({"pid": 41)");
  EXPECT_TRUE(read_status(folder.path(), 1).is_null());
}

TEST(StatusFile, IgnoresAMissingFolder) {
  StatusFile status("/nowhere/at/all", 1);
  status.watch({}).progress("evaluate", 1, 2);
  EXPECT_TRUE(read_status("/nowhere/at/all", 1).is_null());
}

}  // namespace
}  // namespace lpot
