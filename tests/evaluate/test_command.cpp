#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

Model relu() {
  const auto x = parameter({1, 4}, "x");
  return as_model({std::make_shared<op::Relu>(x)}, {x});
}

double scored(const std::string& command) { return CommandEvaluator(command, false).score(relu(), {}).accuracy(); }

TEST(ParseAccuracy, ReadsTheLastNumberOfTheLastLine) {
  EXPECT_EQ(parse_accuracy("0.5"), 0.5);
  EXPECT_EQ(parse_accuracy("loading\naccuracy: 0.9173\n\n"), 0.9173);
  EXPECT_EQ(parse_accuracy("f1=91.5\r\n"), 91.5);
  EXPECT_EQ(parse_accuracy("1e-3"), 0.001);
  EXPECT_EQ(parse_accuracy("-2"), -2);
}

TEST(ParseAccuracy, ShowsALineWithoutANumber) {
  for (const std::string output : {"", "\n", "done", "0.9 of 1 good", "0.9x"})
    EXPECT_THAT(message_of<DataError>([&] { parse_accuracy(output); }), HasSubstr("expected a line that ends with"));
  EXPECT_THAT(message_of<DataError>([&] { parse_accuracy("0.9\nall done"); }), HasSubstr("'all done'"));
}

TEST(CommandEvaluator, PassesALoadableModel) {
  const TempFolder folder;
  const std::string kept = (folder / "kept").string();
  EXPECT_EQ(scored("cp {model} " + kept + ".xml; f={model}; cp ${f%.xml}.bin " + kept + ".bin; echo 0.25"), 0.25);
  EXPECT_EQ(list_ops(load_model(kept + ".xml")).size(), 1u);
}

TEST(CommandEvaluator, PassesTheUsersFileAsTheBaseline) {
  const TempFolder folder;
  save_model(relu(), folder / "my model.xml");
  const Model model = load_model(folder / "my model.xml");
  CommandEvaluator evaluator("case {model} in *'/my model.xml') echo 1;; *) echo 0;; esac", true);
  EXPECT_EQ(evaluator.baseline(model, {}).accuracy(), 1);
  EXPECT_EQ(evaluator.score(model, {}).accuracy(), 0);
}

TEST(CommandEvaluator, ReportsTheExitCode) {
  EXPECT_THAT(message_of<DataError>([] { scored("echo 1; : {model}; exit 7"); }), HasSubstr("exit code 7"));
}

TEST(CommandEvaluator, StopsOnRequest) {
  CommandEvaluator evaluator("sleep 60; echo 1 {model}", false);
  EXPECT_THROW(evaluator.score(relu(), {{}, {}, [] { return true; }}), Interrupted);
}

}  // namespace
}  // namespace lpot
