#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "lpot/report/reference.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

TEST(Reference, IsTheOneInTheDocs) {
  std::ifstream file(std::string(LPOT_SOURCE_DIR) + "/docs/reference.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(reference_markdown(), text.str()) << "write it anew: build/bin/lpot reference > docs/reference.md";
}

TEST(Reference, SaysWhatIsRefusedAndWhy) {
  const std::string text = reference_markdown();
  EXPECT_THAT(text, HasSubstr("| `sigopt` |"));
  EXPECT_THAT(text, HasSubstr("refused: SigOpt is a paid service"));
  EXPECT_THAT(text, HasSubstr("| `tuning.accuracy_criterion.relative` | a number in 0..1"));
}

}  // namespace
}  // namespace lpot
