#include "lpot/report/deployment_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/core/error.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;

TEST(DeploymentFiles, ListsTheFilesOfAllWriters) {
  EXPECT_THAT(deployment_files(), testing::IsSupersetOf({"model.xml", "model.bin", "model.onnx", "model.onnx.data",
                                                         "deploy.yaml", "result.json", "python.json", "model.pb"}));
}

class SourceFolder : public testing::Test {
 protected:
  // Expects an error that names this file.
  void expect_refused(const fs::path& folder, const fs::path& source, const std::string& file) const {
    const std::string message = message_of<ConfigError>([&] { check_replaces_no_source(folder, source); });
    EXPECT_THAT(message, testing::StartsWith("[output] " + (folder / file).string() + ": "));
    EXPECT_THAT(message, testing::HasSubstr("choose another folder"));
  }

  TempFolder folder_;
};

TEST_F(SourceFolder, IsRefusedIfASavedModelWouldReplaceTheSource) {
  const fs::path model = folder_ / "model.onnx";
  fs::copy_file(LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx", model);
  expect_refused(folder_.path(), model, "model.onnx");
  check_replaces_no_source(folder_ / "int8", model);

  fs::create_directory_symlink(folder_.path(), folder_ / "link");
  expect_refused(folder_ / "link", model, "model.onnx");
}

TEST_F(SourceFolder, IsRefusedForTheWeightsOfAnIr) {
  const fs::path xml = folder_.write("model.xml", "<net/>");
  folder_.write("model.bin", "weights");
  expect_refused(folder_.path(), xml, "model.xml");

  const fs::path other = folder_.write("ir/net.xml", "<net/>");
  fs::create_symlink(folder_ / "model.bin", folder_ / "ir/net.bin");
  fs::remove(xml);
  expect_refused(folder_.path(), other, "model.bin");
}

TEST_F(SourceFolder, IsRefusedForAModelThatIsDamagedNow) {
  expect_refused(folder_.path(), folder_.write("model.pb", ""), "model.pb");
}

TEST_F(SourceFolder, IsAllowedIfNoNameIsEqual) {
  folder_.write("model.pb", "another model");
  check_replaces_no_source(folder_.path(), folder_.write("net.tflite", "1234TFL3"));
}

TEST_F(SourceFolder, IsReadFromTheDeployFile) {
  EXPECT_EQ(deployed_source(folder_.path()), "");
  folder_.write("deploy.yaml", "model:\n  name: net\n  source: models/net.onnx\n");
  EXPECT_EQ(deployed_source(folder_.path()), "models/net.onnx");
  folder_.write("deploy.yaml", "model: [1, 2]\n");
  EXPECT_EQ(deployed_source(folder_.path()), "");
}

TEST(OptionalFiles, AreOnlyRemovedFromAFolderWithADeployFile) {
  TempFolder folder;
  for (const char* name : {"model.onnx", "python.json", "model.pb", "result.json", "notes.txt"})
    folder.write(name, "x");
  remove_optional_files(folder.path());
  EXPECT_EQ(folder.names().size(), 5u);
  folder.write("deploy.yaml", "");
  remove_optional_files(folder.path());
  EXPECT_THAT(folder.names(), testing::ElementsAre("deploy.yaml", "notes.txt"));
}

}  // namespace
}  // namespace lpot
