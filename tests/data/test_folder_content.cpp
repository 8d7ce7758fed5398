#include "lpot/data/folder_content.h"

#include "lpot/data/text/glue_task.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FolderContents : public ::testing::Test {
 protected:
  void add_images(const std::vector<std::string>& names) const {
    for (const std::string& name : names) folder_.write(name, "no one decodes it");
  }
  FolderContent inspect() const { return inspect_folder(folder_.path()); }
  TempFolder folder_;
};

TEST_F(FolderContents, ClassFoldersAreLabels) {
  add_images({"dog/1.jpg", "cat/2.png", "cat/3.JPEG"});
  const FolderContent content = inspect();
  EXPECT_EQ(content.kind, FolderKind::Images);
  EXPECT_EQ(content.description, "3 images in 2 class folders");
  EXPECT_THAT(content.classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(content.labels->last, 1);
  EXPECT_THAT(content.evaluation, AllOf(HasSubstr("ImageFolder: {root: \""), HasSubstr("\"}")));
  EXPECT_EQ(content.calibration, "");
}

TEST_F(FolderContents, OneFolderOfImagesHasNoLabels) {
  add_images({"1.jpg", "2.png"});
  EXPECT_EQ(inspect().description, "2 images without labels");
  EXPECT_FALSE(inspect().labels);
  EXPECT_THAT(inspect().evaluation, HasSubstr("labels: none"));
  add_images({"more/3.png"});
  EXPECT_EQ(inspect().description, "3 images without labels") << "a folder beside images is no class";
}

TEST_F(FolderContents, ASingleSubfolderIsNoClass) {
  add_images({"images/1.jpg", "images/2.jpg"});
  EXPECT_EQ(inspect().description, "2 images without labels");
}

TEST_F(FolderContents, TrainAndValAreCalibrationAndEvaluation) {
  add_images({"train/a/1.jpg", "train/b/2.jpg", "val/a/3.jpg", "val/b/4.jpg", "val/b/5.jpg"});
  const FolderContent content = inspect();
  EXPECT_EQ(content.description, "val: 3 images in 2 class folders; train: 2 images in 2 class folders");
  EXPECT_THAT(content.calibration, HasSubstr("/train\""));
  EXPECT_THAT(content.evaluation, HasSubstr("/val\""));
  EXPECT_THAT(content.classes, ElementsAre("a", "b"));
}

TEST_F(FolderContents, FoldersWithoutImagesAreNoClasses) {
  add_images({"dog/1.jpg", "cat/2.png", "annotations/1.xml", "__MACOSX/._1.jpg"});
  EXPECT_THAT(inspect().classes, ElementsAre("cat", "dog"));
  std::filesystem::create_directory(folder_ / "bird");
  EXPECT_THAT(inspect().classes, ElementsAre("bird", "cat", "dog")) << "a class without images, as in the data set";
}

TEST_F(FolderContents, TheOnlyPartIsTheData) {
  add_images({"val/a/3.jpg", "val/b/4.jpg"});
  EXPECT_EQ(inspect().description, "val: 2 images in 2 class folders");
  EXPECT_THAT(inspect().evaluation, HasSubstr("/val\"}"));
  EXPECT_EQ(inspect().calibration, "");
  add_images({"test/5.jpg"});
  EXPECT_EQ(inspect().description, "val: 2 images in 2 class folders");
  std::filesystem::rename(folder_ / "val", folder_ / "train");
  std::filesystem::remove_all(folder_ / "test");
  EXPECT_EQ(inspect().description, "train: 2 images in 2 class folders");
}

TEST_F(FolderContents, NamesOfPartsMayBeClasses) {
  add_images({"valid/3.jpg", "invalid/4.jpg"});
  EXPECT_THAT(inspect().classes, ElementsAre("invalid", "valid"));
}

TEST_F(FolderContents, NamesOfPartsMayEndWithANumber) {
  add_images({"train2017/1.jpg", "val2017/2.jpg", "val2017/3.jpg", "annotations/instances_val2017.json"});
  const FolderContent content = inspect();
  EXPECT_EQ(content.description, "val2017: 2 images without labels; train2017: 1 image without labels");
  EXPECT_FALSE(content.labels);
  EXPECT_THAT(content.calibration, HasSubstr("/train2017\""));
}

TEST_F(FolderContents, ImagesBesideMasksHaveNoLabels) {
  add_images({"JPEGImages/1.jpg", "JPEGImages/2.jpg", "SegmentationClass/1.png", "SegmentationObject/1.png",
              "Annotations/1.xml", "ImageSets/Main/val.txt"});
  EXPECT_EQ(inspect().description, "2 images without labels");
  EXPECT_THAT(inspect().evaluation, AllOf(HasSubstr("/JPEGImages\""), HasSubstr("labels: none")));
  EXPECT_FALSE(inspect().labels);
}

TEST_F(FolderContents, ImagesBesideMasksMayHaveParts) {
  add_images({"train/images/1.jpg", "train/masks/1.png", "val/images/2.jpg", "val/masks/2.png"});
  EXPECT_EQ(inspect().description, "val: 1 image without labels; train: 1 image without labels");
  EXPECT_THAT(inspect().evaluation, HasSubstr("/val/images\""));
  for (const char* part : {"train", "val"}) std::filesystem::remove_all(folder_ / part);
  add_images({"images/train/1.jpg", "images/val/2.jpg", "labels/train/1.png", "labels/val/2.png"});
  EXPECT_THAT(inspect().evaluation, HasSubstr("/images/val\""));
  EXPECT_THAT(inspect().calibration, HasSubstr("/images/train\""));
  std::filesystem::remove_all(folder_ / "labels");
  EXPECT_THAT(inspect().calibration, HasSubstr("/images/train\"")) << "the only folder";
}

TEST_F(FolderContents, BackgroundNoiseIsNoClass) {
  add_images({"yes/1.wav", "no/2.wav", "_background_noise_/3.wav"});
  EXPECT_THAT(inspect().classes, ElementsAre("no", "yes"));
  EXPECT_EQ(inspect().description, "2 sounds in 2 class folders");
}

TEST_F(FolderContents, SoundsHaveClassFoldersListsOrNoLabels) {
  add_images({"1.wav", "more/2.WAV"});
  EXPECT_EQ(inspect().kind, FolderKind::Sounds);
  EXPECT_EQ(inspect().description, "2 sounds without labels") << "a folder beside sounds is no class";
  std::filesystem::rename(folder_ / "1.wav", folder_ / "more/1.wav");
  add_images({"yes/3.wav"});
  FolderContent content = inspect();
  EXPECT_EQ(content.description, "3 sounds in 2 class folders");
  EXPECT_THAT(content.classes, ElementsAre("more", "yes"));
  EXPECT_EQ(content.labels->last, 1);
  EXPECT_THAT(content.evaluation, AllOf(HasSubstr("audio: {root: \""), HasSubstr("\"}")));
  folder_.write("labels.csv", "file,label\nmore/1,up\nyes/3.wav,down\n");
  content = inspect();
  EXPECT_EQ(content.description, "2 sounds with the labels of labels.csv");
  EXPECT_THAT(content.evaluation, HasSubstr("labels.csv\"}"));
}

TEST_F(FolderContents, TrainAndValOfSoundsAreCalibrationAndEvaluation) {
  add_images({"train/no/1.wav", "train/yes/2.wav", "val/no/3.wav", "val/yes/4.wav", "val/yes/5.wav"});
  FolderContent content = inspect();
  EXPECT_EQ(content.kind, FolderKind::Sounds);
  EXPECT_EQ(content.description, "val: 3 sounds in 2 class folders; train: 2 sounds in 2 class folders");
  EXPECT_THAT(content.calibration, HasSubstr("/train\"}"));
  EXPECT_THAT(content.evaluation, HasSubstr("/val\"}"));
  EXPECT_THAT(content.classes, ElementsAre("no", "yes"));
  add_images({"train/6.wav", "val/7.wav"});
  content = inspect();
  EXPECT_EQ(content.description, "val: 4 sounds without labels; train: 3 sounds without labels");
  EXPECT_THAT(content.classes, IsEmpty());
}

TEST_F(FolderContents, AListGivesTheLabels) {
  add_images({"images/a.jpg", "images/b.jpg"});
  folder_.write("readme.txt", "Pictures of 2024\n");
  folder_.write("val.txt", "a.jpg 7\nb.jpg 3\n");
  const FolderContent content = inspect();
  EXPECT_EQ(content.description, "2 images with the labels of val.txt");
  EXPECT_THAT(content.evaluation, AllOf(HasSubstr("ImagenetRaw: {data_path: "), HasSubstr("/images\", image_list: "),
                                        HasSubstr("/val.txt\"}")));
  EXPECT_EQ(content.labels->first, 3);
  EXPECT_EQ(content.labels->last, 7);
  EXPECT_THAT(content.classes, IsEmpty());
}

TEST_F(FolderContents, ACsvFileGivesTheLabels) {
  add_images({"a.jpg", "b.jpg"});
  folder_.write("labels.csv", "file,label\na.jpg,zebra\nb.jpg,ant\n");
  EXPECT_EQ(inspect().description, "2 images with the labels of labels.csv");
  EXPECT_THAT(inspect().classes, ElementsAre("ant", "zebra"));
}

// The list is what the user wants to use.
TEST_F(FolderContents, AWrongLineOfAListIsAnError) {
  add_images({"images/a.jpg", "images/b.jpg"});
  folder_.write("labels.csv", "file,label\na.jpg,zebra\nc.jpg,ant\n");
  EXPECT_THAT(message_of<DataError>([&] { inspect(); }),
              AllOf(HasSubstr("labels.csv:3: "), HasSubstr("no such file. Correct the line")));
  folder_.write("labels.csv", "file,label\na.jpg,zebra\nb.jpg\n");
  EXPECT_THAT(message_of<DataError>([&] { inspect(); }), HasSubstr("labels.csv:3: expected a file name and a label"));
}

TEST_F(FolderContents, NotesOtherTextFiles) {
  add_images({"a.jpg", "b.jpg"});
  folder_.write("val.txt", "a.jpg\nb.jpg\n");
  EXPECT_EQ(inspect().description, "2 images without labels");
  EXPECT_THAT(inspect().notes, ElementsAre(AllOf(HasSubstr("val.txt is no list of labels"),
                                                 HasSubstr("val.txt:1: expected a file name and a label"))));
  folder_.write("labels.csv", "a.jpg,1\nb.jpg,0\n");
  EXPECT_THAT(inspect().notes, IsEmpty());
}

TEST_F(FolderContents, FindsTheGlueTaskByItsColumnsAndLabels) {
  folder_.write("train.tsv", "sentence\tlabel\nfine\t1\nbad\t0\n");
  folder_.write("dev.tsv", "sentence\tlabel\nfine\t1\nbad\t0\n");
  const FolderContent content = inspect();
  EXPECT_EQ(content.kind, FolderKind::Sentences);
  EXPECT_EQ(content.task, "sst-2");
  ASSERT_EQ(content.files.size(), 2u);
  EXPECT_THAT(content.files[0].string(), EndsWith("train.tsv"));
  EXPECT_EQ(content.description, "sentences of the GLUE task sst-2 in train.tsv, dev.tsv");
}

TEST_F(FolderContents, TellsGlueTasksApart) {
  const auto task_of = [&](const std::string& text) {
    return detect_glue_task(folder_.write("dev.tsv", text)).value_or("none");
  };
  EXPECT_EQ(task_of("gj04\t1\t\tA sentence.\ngj04\t0\t*\tAnother\n"), "cola");
  EXPECT_EQ(task_of("Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t1\t2\ta\tb\n"), "mrpc");
  EXPECT_EQ(task_of("index\tquestion\tsentence\tlabel\n0\ta\tb\tentailment\n"), "qnli");
  EXPECT_EQ(task_of("index\tsentence1\tsentence2\tlabel\n0\ta\tb\t1\n"), "wnli");
  EXPECT_EQ(task_of("a\tb\n"), "none");
  EXPECT_THAT(message_of<DataError>([&] { inspect(); }), HasSubstr("found no train*.tsv or dev*.tsv in the format"));
}

TEST_F(FolderContents, TextsAreFilesOtherThanTheVocabulary) {
  folder_.write("vocab.txt", "[PAD]\n");
  EXPECT_THAT(message_of<DataError>([&] { inspect(); }), HasSubstr("found no data; expected images"));
  folder_.write("a.txt", "hello\n");
  EXPECT_EQ(inspect().kind, FolderKind::Texts);
}

TEST_F(FolderContents, NamesAMissingFolder) {
  EXPECT_THAT(message_of<DataError>([&] { inspect_folder(folder_ / "none"); }), HasSubstr("none: no such folder"));
}

}  // namespace
}  // namespace lpot
