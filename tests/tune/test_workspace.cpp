#include "lpot/tune/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "lpot/core/error.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const StudyIdentity kIdentity{"net", "aaaa", "calibration A; evaluation B",
                              R"({"tuning.accuracy_criterion.relative":"0.01","tuning.random_seed":"9"})"};

StudyIdentity with_settings(const std::string& settings) {
  StudyIdentity identity = kIdentity;
  identity.settings = settings;
  return identity;
}

TEST(OpenStudy, WithoutResumeEachRunIsAStudyOfItsOwn) {
  const auto store = create_memory_store();
  EXPECT_NE(open_study(*store, kIdentity, false), open_study(*store, kIdentity, false));
  EXPECT_EQ(store->studies().size(), 2u);
}

TEST(OpenStudy, ResumeContinuesTheLatestStudyWithTheSameIdentity) {
  const auto store = create_memory_store();
  open_study(*store, kIdentity, false);
  const StudyId second = open_study(*store, kIdentity, false);
  EXPECT_EQ(open_study(*store, kIdentity, true), second);
  EXPECT_EQ(store->studies().size(), 2u);
}

TEST(OpenStudy, ResumeWithoutAStudyStartsANewOne) {
  const auto store = create_memory_store();
  const StudyId study = open_study(*store, kIdentity, true);
  EXPECT_EQ(study, store->studies().at(0).id);
}

// A run with a mistake in its config must not stand between a study and its resumption.
TEST(OpenStudy, ResumeSkipsALaterStudyWithOtherSettings) {
  const auto store = create_memory_store();
  const StudyId first = open_study(*store, kIdentity, false);
  open_study(*store, with_settings("{}"), false);
  EXPECT_EQ(open_study(*store, kIdentity, true), first);
}

TEST(OpenStudy, AnotherModelsStoreIsRefused) {
  const auto store = create_memory_store();
  open_study(*store, kIdentity, false);
  StudyIdentity other = kIdentity;
  other.model_fingerprint = "bbbb";
  for (const bool resume : {false, true})
    EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, other, resume); }),
                AllOf(HasSubstr("another model"), HasSubstr("aaaa"), HasSubstr("bbbb"), HasSubstr("model.name")));
}

TEST(OpenStudy, ASharedWorkspaceHoldsStudiesOfSeveralModels) {
  const auto store = create_memory_store();
  const StudyId first = open_study(*store, kIdentity, false);
  StudyIdentity other = kIdentity;
  other.model_fingerprint = "bbbb";
  EXPECT_NE(open_study(*store, other, false, true), first);
  EXPECT_EQ(open_study(*store, kIdentity, true, true), first);
  other.model_fingerprint = "cccc";
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, other, true, true); }),
              HasSubstr("the model has changed (its fingerprint was bbbb and is cccc)"));
}

TEST(OpenStudy, ResumeWithAChangedCriterionNamesTheKeyAndBothValues) {
  const auto store = create_memory_store();
  open_study(*store, kIdentity, false);
  const auto changed = with_settings(R"({"tuning.accuracy_criterion.relative":"0.05","tuning.random_seed":"9"})");
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, changed, true); }),
              HasSubstr(R"(tuning.accuracy_criterion.relative was "0.01" and is "0.05")"));
}

TEST(OpenStudy, ResumeWithAKeyMoreOrLessNamesIt) {
  const auto store = create_memory_store();
  open_study(*store, kIdentity, false);
  const auto less = with_settings(R"({"tuning.accuracy_criterion.relative":"0.01"})");
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, less, true); }),
              HasSubstr(R"(tuning.random_seed was "9" and is not set)"));
  auto more = kIdentity;
  more.settings.insert(1, R"("tuning.objective":"modelsize",)");
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, more, true); }),
              HasSubstr(R"(tuning.objective was not set and is "modelsize")"));
}

TEST(OpenStudy, ResumeShowsOnlyWhatDiffersOfLongValues) {
  const auto store = create_memory_store();
  const std::string same(200, 'a');
  open_study(*store, with_settings(R"({"calibration data":")" + same + R"(; 300 samples in order 01; )" + same + "\"}"),
             false);
  const auto changed =
      with_settings(R"({"calibration data":")" + same + R"(; 500 samples in order 01; )" + same + "\"}");
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, changed, true); }),
              HasSubstr("Since the last study: calibration data was ...300... and is ...500.... Restore"));
}

TEST(OpenStudy, ResumeShowsTheWordBeforeADifference) {
  const auto store = create_memory_store();
  const std::string head = R"({"calibration data":")" + std::string(100, 'a') + " in order 0123456789abcdef, seed ";
  open_study(*store, with_settings(head + "1978\"}"), false);
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, with_settings(head + "8\"}"), true); }),
              HasSubstr("calibration data was ...seed 1978... and is ...seed 8..."));
}

TEST(OpenStudy, ResumeShowsKeysOfTheConfigurationFirst) {
  const auto store = create_memory_store();
  open_study(*store, with_settings(R"({"calibration data":"seed 1","tuning.random_seed":"1"})"), false);
  const auto changed = with_settings(R"({"calibration data":"seed 2","tuning.random_seed":"2"})");
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, changed, true); }),
              HasSubstr("Since the last study: tuning.random_seed was \"1\" and is \"2\"; calibration data was"));
}

TEST(OpenStudy, ResumeShowsThreeDifferencesAndCountsTheOthers) {
  const auto store = create_memory_store();
  open_study(*store, with_settings(R"({"a":1,"b":1,"c":1,"d":1,"e":1})"), false);
  EXPECT_THAT(
      message_of<StoreError>([&] { open_study(*store, with_settings(R"({"a":2,"b":2,"c":2,"d":2,"e":2})"), true); }),
      HasSubstr("a was 1 and is 2; b was 1 and is 2; c was 1 and is 2; 2 more settings differ"));
}

TEST(OpenStudy, ResumeWithOtherDataOrAnotherNameSaysSo) {
  const auto store = create_memory_store();
  open_study(*store, kIdentity, false);
  StudyIdentity other = kIdentity;
  other.data = "calibration A; evaluation C";
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, other, true); }),
              HasSubstr("the data were calibration A; evaluation B and are calibration A; evaluation C"));
  other = kIdentity;
  other.model_name = "net2";
  EXPECT_THAT(message_of<StoreError>([&] { open_study(*store, other, true); }),
              HasSubstr("the model's name was net and is net2"));
}

TEST(WorkspaceTest, ASecondOneOnTheSameFolderIsRefusedWhileTheFirstLives) {
  const TempFolder folder;
  {
    Workspace first(folder / "w");
    EXPECT_THAT(message_of<StoreError>([&] { Workspace second(folder / "w"); }),
                AllOf(HasSubstr((folder / "w").string()), HasSubstr("another lpot is tuning")));
  }
  EXPECT_NO_THROW(Workspace again(folder / "w"));
}

TEST(WorkspaceTest, KeepsItsStudiesOnDisk) {
  const TempFolder folder;
  { Workspace(folder / "deep/w").store().create_study(kIdentity); }
  EXPECT_EQ(Workspace(folder / "deep/w").store().studies().at(0).identity, kIdentity);
}

TEST(WorkspaceTest, AFileSystemWithoutLocksIsNotAnotherProcess) {
  const std::string message = lock_error("w", ENOLCK).what();
  EXPECT_THAT(message, AllOf(HasSubstr("w/lock: cannot lock"), HasSubstr(std::strerror(ENOLCK)),
                             HasSubstr("file system supports locks"), testing::Not(HasSubstr("another lpot"))));
}

TEST(WorkspaceTest, NamesAFileThatBlocksTheFolder) {
  const TempFolder folder;
  write_bytes(folder / "file", "");
  EXPECT_THAT(message_of<StoreError>([&] { Workspace(folder / "file"); }), HasSubstr((folder / "file").string()));
  EXPECT_THAT(message_of<StoreError>([&] { Workspace(folder / "file/w"); }), HasSubstr((folder / "file/w").string()));
}

TEST(WorkspaceTest, ReportsADamagedStoreAndDoesNotChangeIt) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "w");
  const std::string garbage(4096, 'x');
  write_bytes(store_path(folder / "w"), garbage);
  EXPECT_THAT(message_of<StoreError>([&] { Workspace(folder / "w"); }),
              AllOf(HasSubstr(store_path(folder / "w").string()), HasSubstr("move it away")));
  EXPECT_EQ(read_bytes(store_path(folder / "w")), garbage);
}

TEST(WorkspacePath, IsWhatTheConfigSaysElseTheModelsAndFrameworksName) {
  Config config;
  Model model;
  model.source = "some/where/net.onnx";
  model.format = ModelFormat::Onnx;
  EXPECT_EQ(workspace_path(config, model), "lpot_workspace/net-onnx");
  config.model.name = "bert";
  config.model.framework = Framework::PyTorch;
  config.model.framework_name = "pytorch_fx";
  EXPECT_EQ(workspace_path(config, model), "lpot_workspace/bert-pytorch_fx");
  config.tuning.workspace = "elsewhere";
  EXPECT_EQ(workspace_path(config, model), "elsewhere");
}

TEST(WorkspacePath, ResumeNamesAWorkspaceToo) {
  Config config;
  config.tuning.resume_from = "old";
  EXPECT_EQ(workspace_path(config, {}), "old");
  config.tuning.workspace = "old";
  EXPECT_EQ(workspace_path(config, {}), "old");
  config.tuning.workspace = "new";
  EXPECT_THAT(message_of<ConfigError>([&] { workspace_path(config, {}); }),
              AllOf(HasSubstr("tuning.workspace.resume is old"), HasSubstr("tuning.workspace.path is new")));
}

}  // namespace
}  // namespace lpot
