#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "lpot/report/reference.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

TEST(Reference, IsTheOneInTheDocs) {
  std::ifstream file(std::string(LPOT_SOURCE_DIR) + "/docs/reference.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(reference_markdown(component_tables()), text.str())
      << "write it again: build/bin/lpot reference > docs/reference.md";
}

TEST(Reference, SaysWhatIsRefusedAndWhy) {
  const std::string text = reference_markdown(component_tables());
  EXPECT_THAT(text, HasSubstr("| `sigopt` |"));
  EXPECT_THAT(text, HasSubstr("not supported: SigOpt is a paid service"));
  EXPECT_THAT(text, HasSubstr("| `tuning.accuracy_criterion.relative` | a number in 0..1"));
}

TEST(Reference, SaysWhatIsIgnoredAlsoOfKeysThatStandInSeveralSections) {
  std::istringstream lines(reference_markdown(component_tables()));
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(".configs.kmp_blocktime`") == std::string::npos && line.find(".inter_num") == std::string::npos)
      continue;
    EXPECT_THAT(line, HasSubstr("ignored with a warning: OpenVINO has no such setting"));
    ++found;
  }
  EXPECT_EQ(found, 4u);
}

}  // namespace
}  // namespace lpot
