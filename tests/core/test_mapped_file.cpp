#include "lpot/core/mapped_file.h"

#include "lpot/core/error.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

TEST(MappedFile, HoldsTheBytesOfTheFile) {
  TempFolder folder;
  const MappedFile file(folder.write("a", "bytes"));
  EXPECT_EQ(std::string(file.bytes().begin(), file.bytes().end()), "bytes");
  EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
}

TEST(MappedFile, ReportsAMissingFile) {
  EXPECT_THAT(message_of<DataError>([] { MappedFile("nowhere/a"); }),
              ::testing::HasSubstr("nowhere/a: No such file or directory"));
}

}  // namespace
}  // namespace lpot
