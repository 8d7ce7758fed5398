// The build installed, and examples/cpp built against it as a user would.
#include <regex>
#include <set>

#include "tests/cli/blocks.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class InstallTest : public testing::Test {
 protected:
  void SetUp() override {
    run({LPOT_CMAKE, "--install", LPOT_BUILD_DIR, "--prefix", (folder_ / "installed").string()});
  }

  // Runs it in the test's folder; it has to succeed.
  std::string run(const std::vector<std::string>& words) const {
    const Outcome outcome = Running(words, folder_.path(), 0).wait();
    EXPECT_EQ(outcome.code, 0) << words[0] << " " << words[1] << "\n" << outcome.out << outcome.err;
    return outcome.out;
  }

  TempFolder folder_;
};

TEST_F(InstallTest, TheExampleBuildsAgainstThePackageWithoutWarningsAndTunes) {
  run({LPOT_CMAKE, "-S", LPOT_SOURCE_DIR "/examples/cpp", "-B", "example", "-G", LPOT_GENERATOR,
       "-DCMAKE_CXX_COMPILER=" LPOT_COMPILER, "-DCMAKE_PREFIX_PATH=" + (folder_ / "installed").string(),
       "-DCMAKE_CXX_FLAGS=-O0 -Wall -Wextra -Werror", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"});
  EXPECT_THAT(read_bytes(folder_ / "example/compile_commands.json"),
              AllOf(HasSubstr("++20"), HasSubstr("/installed/include"), Not(HasSubstr("-Wshadow")),
                    Not(HasSubstr("pch")), Not(HasSubstr("-I" LPOT_SOURCE_DIR))));
  run({LPOT_CMAKE, "--build", "example"});
  if (HasFailure()) return;

  EXPECT_THAT(run({(folder_ / "example/worst_class").string(), kModel, "int8"}),
              AllOf(ContainsRegex("worst class: fp32 0\\.7[0-9]*, int8 0\\.7"),
                    ContainsRegex("topk 1: fp32 0\\.92[0-9]*, int8 0\\.9"),
                    ContainsRegex("goal: at least 0\\.7.* less 0\\.02 absolute\\), met\n"),
                    HasSubstr("saved: int8/model.xml\n")));
  const std::string program = (folder_ / "installed/bin/lpot").string();
  const Json saved = Json::parse(run({program, "inspect", "int8/model.xml", "--json"}), nullptr, false);
  ASSERT_FALSE(saved.is_discarded());
  EXPECT_EQ(saved["format"], "openvino");
}

TEST_F(InstallTest, TheLinesOfTheReadmeBuildAndTune) {
  const std::string package = readme_blocks("cmake").at(0).text;
  const auto split = package.find("target_link_libraries");
  write_bytes(folder_ / "CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(app CXX)\n" +
                                              package.substr(0, split) + "add_executable(app main.cpp)\n" +
                                              package.substr(split));
  std::string head, body;
  for (const std::string& line : readme_blocks("cpp").at(0).lines())
    (line.starts_with("#include") ? head : body) += line + "\n";
  write_bytes(folder_ / "main.cpp", head + "int main() {\n" + body + "return result.goal_met ? 0 : 3;\n}\n");
  run({LPOT_CMAKE, "-S", ".", "-B", "app", "-G", LPOT_GENERATOR, "-DCMAKE_CXX_COMPILER=" LPOT_COMPILER,
       "-DCMAKE_CXX_FLAGS=-O0", "-DCMAKE_PREFIX_PATH=" + (folder_ / "installed").string()});
  run({LPOT_CMAKE, "--build", "app"});
  if (HasFailure()) return;
  fs::copy_file(kModel, folder_ / "model.onnx");
  run({(folder_ / "installed/bin/lpot").string(), "init", "model.onnx", "--output", "conf.yaml"});
  run({(folder_ / "app/app").string()});
  EXPECT_TRUE(fs::exists(folder_ / "int8/model.xml"));
}

// Headers of lpot that a file includes.
std::set<std::string> included_by(const fs::path& file) {
  static const std::regex kInclude("#include \"(lpot/[^\"]+)\"");
  const std::string text = read_bytes(file);
  std::set<std::string> headers;
  for (std::sregex_iterator found(text.begin(), text.end(), kInclude), end; found != end; ++found)
    headers.insert((*found)[1]);
  return headers;
}

TEST_F(InstallTest, InstallsTheHeadersThatLpotHListsAndNoOthers) {
  const fs::path include = folder_ / "installed/include";
  std::set<std::string> installed;
  for (const auto& entry : fs::recursive_directory_iterator(include))
    if (entry.is_regular_file()) installed.insert(fs::relative(entry.path(), include).string());
  std::set<std::string> listed = included_by(LPOT_SOURCE_DIR "/lpot/lpot.h");
  listed.insert("lpot/lpot.h");
  EXPECT_EQ(installed, listed);
}

TEST_F(InstallTest, PublicHeadersIncludeOnlyPublicHeaders) {
  const std::set<std::string> listed = included_by(LPOT_SOURCE_DIR "/lpot/lpot.h");
  for (const std::string& header : listed)
    for (const std::string& needed : included_by(fs::path(LPOT_SOURCE_DIR) / header))
      EXPECT_TRUE(listed.contains(needed)) << header << " includes " << needed;
}

}  // namespace
}  // namespace lpot
