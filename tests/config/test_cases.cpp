// Runs tests/cases/*.yaml. The first comment lines of a case state the expected result:
//   # error: NAME.yaml:4: tuning.random_seed: expected ...    (the whole message after "[load_config] ")
//   # resolved: tuning.random_seed = 9527                     (a line of describe(); any number of lines)
//   # warning: NAME.yaml:4: ...                               (all warnings, in order)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lpot/config/describe.h"
#include "lpot/core/error.h"
#include "tests/config/tables.h"

namespace lpot {
namespace {

const std::filesystem::path kCases = std::filesystem::path(LPOT_SOURCE_DIR) / "tests" / "cases";

struct Expectation {
  std::vector<std::string> errors, resolved, warnings;
};

Expectation expectation_of(const std::string& text) {
  Expectation expectation;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
    if (line.starts_with("# error: ")) expectation.errors.push_back("[load_config] " + line.substr(9));
    if (line.starts_with("# resolved: ")) expectation.resolved.push_back(line.substr(12));
    if (line.starts_with("# warning: ")) expectation.warnings.push_back(line.substr(11));
  }
  return expectation;
}

// The lines that are also in `wanted`. They stay in their order, so that the comparison checks the order too.
std::vector<std::string> only(std::vector<std::string> lines, const std::vector<std::string>& wanted) {
  std::erase_if(lines,
                [&](const std::string& line) { return std::find(wanted.begin(), wanted.end(), line) == wanted.end(); });
  return lines;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Case : public testing::TestWithParam<std::string> {};

TEST_P(Case, ProducesTheExpectedResult) {
  const std::string name = GetParam() + ".yaml";
  std::ifstream file(kCases / name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Expectation expected = expectation_of(text);
  ASSERT_TRUE(expected.errors.size() == 1 || !expected.resolved.empty())
      << "the case has no error line and no resolved line";
  try {
    const Config config = load_config_text(text, name, kTables);
    ASSERT_THAT(expected.errors, testing::IsEmpty()) << "expected an error, but the case was accepted";
    EXPECT_EQ(only(describe(config, kTables.recipes), expected.resolved), expected.resolved);
    EXPECT_EQ(config.warnings, expected.warnings);
  } catch (const ConfigError& error) {
    EXPECT_THAT(expected.errors, testing::ElementsAre(error.what()));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Case, testing::ValuesIn(case_names()), [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace lpot
