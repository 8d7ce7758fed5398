// The files that other tools read: CMake, pre-commit and GitHub. A mistake in them shows only there, and late.
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;

const std::filesystem::path kSource = LPOT_SOURCE_DIR;

TEST(ProjectFiles, EveryBuildPresetHasAConfigurePreset) {
  const auto presets = nlohmann::json::parse(read_bytes(kSource / "CMakePresets.json"));
  std::set<std::string> names;
  for (const auto& preset : presets["configurePresets"]) {
    names.insert(preset["name"]);
    EXPECT_THAT(preset["binaryDir"].get<std::string>(), HasSubstr("${sourceDir}/build"));
  }
  EXPECT_THAT(names, IsSupersetOf({"release", "debug", "asan", "tsan", "lint", "coverage"}));
  for (const char* kind : {"buildPresets", "testPresets"})
    for (const auto& preset : presets[kind]) EXPECT_THAT(names, Contains(preset["configurePreset"].get<std::string>()));
}

TEST(ProjectFiles, PresetsSetOptionsThatTheBuildDeclares) {
  const std::string build = read_bytes(kSource / "CMakeLists.txt");
  for (const auto& preset : nlohmann::json::parse(read_bytes(kSource / "CMakePresets.json"))["configurePresets"])
    for (const auto& [name, value] : preset["cacheVariables"].items()) {
      if (!name.starts_with("LPOT_")) continue;
      EXPECT_THAT(build, testing::ContainsRegex("(option|set)\\(" + name + " ")) << name;
    }
}

TEST(ProjectFiles, HooksOfPreCommitRunProgramsThatExist) {
  const YAML::Node hooks = YAML::LoadFile(kSource / ".pre-commit-config.yaml")["repos"][0]["hooks"];
  ASSERT_GT(hooks.size(), 3U);
  for (const YAML::Node& hook : hooks) {
    EXPECT_EQ(hook["language"].as<std::string>(), "system");
    const std::string entry = hook["entry"].as<std::string>();
    const auto script = entry.find("scripts/");
    if (script == std::string::npos) continue;
    EXPECT_TRUE(std::filesystem::exists(kSource / entry.substr(script, entry.find(' ', script) - script))) << entry;
  }
}

TEST(ProjectFiles, WorkflowRunsTheSameScriptAsOtherMachines) {
  const YAML::Node workflow = YAML::LoadFile(kSource / ".github/workflows/ci.yml");
  EXPECT_TRUE(workflow["on"]["pull_request"].IsDefined());
  std::vector<std::string> commands;
  for (const YAML::Node& step : workflow["jobs"]["run"]["steps"])
    if (step["run"]) commands.push_back(step["run"].as<std::string>());
  EXPECT_THAT(commands, Contains(".ci/run"));
}

TEST(ProjectFiles, IssueFormsHaveWhatGitHubRequires) {
  for (const char* name : {"bug.yml", "feature.yml"}) {
    SCOPED_TRACE(name);
    const YAML::Node form = YAML::LoadFile(kSource / ".github/ISSUE_TEMPLATE" / name);
    EXPECT_FALSE(form["name"].as<std::string>().empty());
    EXPECT_FALSE(form["description"].as<std::string>().empty());
    std::set<std::string> ids;
    for (const YAML::Node& field : form["body"]) {
      const std::string type = field["type"].as<std::string>();
      EXPECT_THAT((std::set<std::string>{"markdown", "textarea", "input"}), Contains(type));
      if (type == "markdown") continue;
      EXPECT_TRUE(field["attributes"]["label"]);
      EXPECT_TRUE(ids.insert(field["id"].as<std::string>()).second);
    }
    EXPECT_FALSE(ids.empty());
  }
}

}  // namespace
}  // namespace lpot
