// Every block of code in docs/ runs, in order, in one folder for each page, with the quick start's network as
// model.onnx. A block of YAML begins with the name of the file that it is; a block of sh is run; text is what a program
// prints. Blocks of Python run in python/tests/test_docs.py.
#include "tests/cli/blocks.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;

const bool kHasMpi = *LPOT_MPIRUN != 0;  // else the program runs in one process

std::vector<std::string> pages() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(LPOT_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md" && (kHasMpi || entry.path().stem() != "scaling"))
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class DocsTest : public CliTest, public testing::WithParamInterface<std::string> {};

TEST_P(DocsTest, EveryBlockRuns) {
  fs::copy_file(kModel, folder_ / "model.onnx");
  if (GetParam() == "without-yaml") write_pictures("pictures", 400);
  // mpirun asks before it runs as root, or starts more processes than there are cores.
  const std::string path = "PATH=" + fs::path(LPOT_PROGRAM).parent_path().string() +
                           ":/usr/bin:/bin; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                           "OMPI_MCA_rmaps_base_oversubscribe=1; set -euo pipefail\n";
  for (const Block& block : blocks_of(fs::path(LPOT_SOURCE_DIR "/docs") / (GetParam() + ".md"))) {
    if (block.language == "yaml") {
      ASSERT_TRUE(block.text.starts_with("# ")) << "a block of YAML begins with '# FILE':\n" << block.text;
      write(block.text.substr(2, block.text.find('\n') - 2), block.text);
    } else if (block.language == "sh") {
      const Outcome run = Running({"/bin/bash", "-c", path + block.text}, folder_ / "", 0).wait();
      EXPECT_EQ(run.code, 0) << block.text << run.out << run.err;
    } else if (block.language != "python") {
      EXPECT_EQ(block.language, "text") << block.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, DocsTest, testing::ValuesIn(pages()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace lpot
