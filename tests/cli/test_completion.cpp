// The completion scripts of the three shells, which are made from the definition of the command line.
#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Completion : public CliTest {
 protected:
  std::string script(const std::string& shell) const {
    const Outcome run = lpot({"completion", shell});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }

  // What bash offers for the last of the words, in one line.
  std::string bash_offers(const std::vector<std::string>& words) {
    write("lpot.bash", script("bash"));
    std::string line = "source lpot.bash; COMP_WORDS=(lpot";
    for (const std::string& word : words) line += " '" + word + "'";
    line += "); COMP_CWORD=" + std::to_string(words.size()) + "; _lpot; echo \"${COMPREPLY[*]}\"";
    const Outcome run = Running({"/bin/bash", "-euc", line}, folder_ / "", 0).wait();
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }
};

TEST_F(Completion, BashOffersVerbsOptionsAndChoices) {
  EXPECT_THAT(bash_offers({""}), AllOf(HasSubstr("tune"), HasSubstr("completion"), Not(HasSubstr("--"))));
  EXPECT_EQ(bash_offers({"tu"}), "tune\n");
  EXPECT_THAT(bash_offers({"--"}), AllOf(HasSubstr("--help"), HasSubstr("--version")));
  EXPECT_EQ(bash_offers({"tune", "--mo"}), "--model\n");
  EXPECT_EQ(bash_offers({"report", "--format", ""}), "html md json\n");
  EXPECT_EQ(bash_offers({"completion", "z"}), "zsh\n");
}

TEST_F(Completion, BashLeavesFileNamesToTheShell) {
  EXPECT_EQ(bash_offers({"tune", ""}), "\n");
  EXPECT_EQ(bash_offers({"tune", "conf.yaml", "--model", ""}), "\n");
  EXPECT_EQ(bash_offers({"report", "workspace", "--output", ""}), "\n");
}

TEST_F(Completion, HiddenOptionsAreNotOffered) {
  for (const std::string shell : {"bash", "zsh", "fish"})
    EXPECT_THAT(script(shell), AllOf(HasSubstr("cores-per-instance"), Not(HasSubstr("instance-cores")))) << shell;
}

TEST_F(Completion, EveryScriptIsValid) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string program = "/usr/bin/" + shell;
    if (!std::filesystem::exists(program)) continue;  // tests/wheel runs all three
    write("script", script(shell));
    const Outcome run = Running({program, "-n", "script"}, folder_ / "", 0).wait();
    EXPECT_EQ(run.code, 0) << shell << ": " << run.err;
  }
}

TEST_F(Completion, FishOffersChoicesWithoutFiles) {
  EXPECT_THAT(script("fish"), HasSubstr("__fish_seen_subcommand_from report' -l format -x -a 'html md json'"));
}

TEST_F(Completion, ZshDescribesOptions) {
  EXPECT_THAT(script("zsh"), AllOf(HasSubstr("'tune:Find the fastest int8 model"), HasSubstr("{-m,--model}'[The model"),
                                   HasSubstr("'[html, md or json]:value:(html md json)'")));
}

TEST_F(Completion, AnUnknownShellIsWrongUsage) {
  const Outcome run = lpot({"completion", "tcsh"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("bash"));
  EXPECT_EQ(lpot({"completion", "bash", "--json"}).json()["shell"], "bash");
}

}  // namespace
}  // namespace lpot
