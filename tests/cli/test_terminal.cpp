// Output that only appears on a terminal. script(1) provides a terminal.
#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class TerminalTest : public CliTest {
 protected:
  void SetUp() override {
    write("conf.yaml", kTop1 + "tuning: {accuracy_criterion: {absolute: 1}, workspace: {path: w}}\n");
  }

  // Standard output and standard error as the terminal shows them.
  std::string on_terminal(const std::string& before, const std::string& after = "") const {
    const std::string command = before + " " LPOT_PROGRAM " tune conf.yaml --model " + kModel + after;
    return Running({"/usr/bin/script", "-qec", command, "/dev/null"}, folder_ / "", 0).wait().out;
  }
};

TEST_F(TerminalTest, HasBarsAndColours) {
  EXPECT_THAT(on_terminal("env -u NO_COLOR", " --set evaluation.accuracy.iteration=400"),
              AllOf(ContainsRegex("evaluate \\[#* *\\] [0-9]+/3200 [0-9.]+ s left"), HasSubstr("\033[32m    1 "),
                    HasSubstr("goal met, best\033[0m")));
}

TEST_F(TerminalTest, HasTheTimeLeftWhileOpsAreProbed) {
  write("conf.yaml", kUnreachable + "  strategy: {name: mse}\n  workspace: {path: w}\n");
  EXPECT_THAT(on_terminal("env NO_COLOR=1"), ContainsRegex("sensitivity \\[#+ *\\] [0-9]+/9 [0-9.]+ s left"));
}

TEST_F(TerminalTest, HasNoColoursUnderNoColor) {
  EXPECT_THAT(on_terminal("env NO_COLOR=1"), AllOf(HasSubstr("    1 "), Not(HasSubstr("\033[32m"))));
}

TEST_F(TerminalTest, PrintsOnlyTheResultWithQuiet) {
  EXPECT_THAT(on_terminal("", " --quiet"),
              AllOf(HasSubstr("goal      at least"), Not(HasSubstr("\033")), Not(HasSubstr("goal met, best"))));
}

TEST_F(TerminalTest, AFileGetsNoBarsAndNoColours) {
  const Outcome run = lpot({"tune", "conf.yaml", "--model", kModel});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("goal met, best"), Not(HasSubstr("\033")), Not(HasSubstr("["))));
}

}  // namespace
}  // namespace lpot
