#include "lpot/core/file.h"
#include "lpot/data/datasets/image_labels.h"
#include "lpot/data/filter.h"
#include "lpot/data/loader.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImageLists : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& image = "rgb.png") const {
    const auto bytes = read_file(std::filesystem::path(LPOT_SOURCE_DIR "/tests/data/images") / image);
    folder_.write(name, {bytes.begin(), bytes.end()});
  }
  std::string root() const { return folder_.path().string(); }
  std::unique_ptr<Dataset> image_folder() const { return make_dataset(component("ImageFolder", {{"root", root()}})); }
  std::unique_ptr<Dataset> imagenet(std::map<std::string, Value> values = {}) const {
    values.emplace("data_path", root());
    return make_dataset(component("ImagenetRaw", std::move(values)));
  }
  std::unique_ptr<Dataset> style_transfer(std::map<std::string, Value> values = {}) const {
    values.emplace("content_folder", root() + "/content");
    values.emplace("style_folder", root() + "/style");
    values.emplace("crop_ratio", 0.25);
    values.emplace("resize_shape", std::vector<std::int64_t>{8, 6});
    values.emplace("image_format", "png");
    return make_dataset(component("style_transfer", std::move(values)));
  }
  static std::vector<int> labels(const Dataset& dataset) {
    std::vector<int> all;
    for (std::size_t i = 0; i < dataset.size(); ++i) all.push_back(static_cast<int>(dataset.at(i).label.value_at(0)));
    return all;
  }
  TempFolder folder_;
};

using ImageFolder = ImageLists;
using ImagenetRaw = ImageLists;
using StyleTransfer = ImageLists;

TEST_F(ImageFolder, LabelsClassesByTheirSortedNames) {
  add("dog/2.PNG");
  add("dog/1.jpeg", "rgb_420.jpg");
  add("cat/deep/er/x.jpg", "grey.jpg");
  add("eel/y.png");
  add(".hidden/z.png");
  folder_.write("dog/notes.txt", "no image");
  folder_.write("readme.txt", "no class");
  const auto dataset = image_folder();
  EXPECT_THAT(labels(*dataset), ElementsAre(0, 1, 1, 2));
  EXPECT_EQ(dataset->at(0).inputs.at(0).describe(), "u8 [19,21,3]");
}

TEST_F(ImageFolder, CountsAClassWithoutImages) {
  std::filesystem::create_directories(folder_.path() / "a");
  add("b/1.png");
  EXPECT_THAT(labels(*image_folder()), ElementsAre(1));
}

TEST_F(ImageFolder, SkipsAFolderWithOtherFiles) {
  folder_.write("annotations/1.xml", "");
  folder_.write("b/._1.png", "a file of macOS, which is hidden");
  add("cat/1.png");
  add("dog/1.png");
  EXPECT_THAT(labels(*image_folder()), ElementsAre(0, 1));
}

TEST_F(ImageFolder, RejectsAFolderWithoutImages) {
  EXPECT_THAT(message_of<DataError>([&] { image_folder(); }),
              HasSubstr("found no .jpg, .jpeg or .png files in the folder and in its 0 subfolders"));
  folder_.write("a/b.txt", "");
  EXPECT_THAT(message_of<DataError>([&] { image_folder(); }),
              HasSubstr("in its 1 subfolders; expected images, or one subfolder per class"));
  EXPECT_THAT(message_of<DataError>([&] {
                make_dataset(component("ImageFolder", {{"root", root() + "x"}}));
              }),
              HasSubstr("no such folder"));
}

TEST_F(ImageFolder, HasNoLabelsWithoutClassFolders) {
  add("2.png");
  add("1.jpg", "grey.jpg");
  std::filesystem::create_directories(folder_.path() / "empty");
  const auto dataset = image_folder();
  ASSERT_EQ(dataset->size(), 2u);
  EXPECT_TRUE(dataset->at(0).label.empty());
  EXPECT_TRUE(dataset->label(1).empty());
  EXPECT_EQ(dataset->at(0).inputs.at(0).describe(), "u8 [19,21,3]") << "1.jpg is first";
}

TEST_F(ImageFolder, ReadsAllImagesBelowTheRootWithoutLabels) {
  add("2020/a.png");
  add("b.png");
  const auto dataset = make_dataset(component("ImageFolder", {{"root", root()}, {"labels", std::string("none")}}));
  ASSERT_EQ(dataset->size(), 2u);
  EXPECT_TRUE(dataset->label(0).empty());
  EXPECT_THAT(labels(*image_folder()), ElementsAre(0)) << "class folders come first";
}

TEST_F(ImageFolder, SkipsDamagedImagesOnRequest) {
  add("a/1.png");
  folder_.write("a/2.png", "\x89PNG\r\n\x1a\n and then nothing");
  add("b/3.png");
  folder_.write("b/4.jpg", "");
  const auto readable = select_readable(image_folder());
  EXPECT_THAT(labels(*readable), ElementsAre(0, 1));
  EXPECT_THAT(readable->skipped(), ElementsAre(HasSubstr("a/2.png"), HasSubstr("b/4.jpg: [decode] the file is empty")));
  EXPECT_NE(readable->identity(), image_folder()->identity());
  std::filesystem::remove_all(folder_.path() / "a");
  std::filesystem::remove(folder_.path() / "b/3.png");
  EXPECT_THAT(message_of<DataError>([&] { select_readable(image_folder()); }),
              HasSubstr("none of 1 samples can be read; the first error is: [ImageFolder] sample 0"));
}

TEST_F(ImageFolder, TheErrorOfADamagedImageNamesTheKeyThatSkipsIt) {
  folder_.write("a/2.png", "no image");
  EXPECT_THAT(message_of<DataError>([&] { DataLoader(image_folder(), {}).sample(0); }),
              AllOf(HasSubstr("a/2.png"), HasSubstr("set on_error: skip in the dataloader")));
}

TEST_F(ImageFolder, NamesTheFileAndIndexOfADamagedImage) {
  add("a/1.png");
  folder_.write("a/2.png", "\x89PNG\r\n\x1a\n and then nothing");
  folder_.write("a/3.jpg", "\xff\xd8\xff and then nothing");
  const DataLoader loader(image_folder(), {}, {.workers = 2});
  auto batches = loader.read();
  EXPECT_TRUE(batches.next());
  EXPECT_THAT(message_of<DataError>([&] { batches.next(); }),
              AllOf(HasSubstr("[ImageFolder] sample 1: "), HasSubstr("a/2.png: "), HasSubstr("damaged PNG")));
  EXPECT_THAT(message_of<DataError>([&] { batches.next(); }),
              AllOf(HasSubstr("sample 2: "), HasSubstr("a/3.jpg: "), HasSubstr("damaged JPEG")));
}

TEST_F(ImageFolder, TheIdentityChangesWithTheFiles) {
  add("a/1.png");
  const std::string before = image_folder()->identity();
  EXPECT_EQ(image_folder()->identity(), before);
  add("a/2.png");
  EXPECT_NE(image_folder()->identity(), before);
}

TEST_F(ImagenetRaw, ReadsTheGivenList) {
  add("val/a b.png");
  add("c.jpg", "rgb_422.jpg");
  const std::string list = folder_.write("list.txt", "val/a b.png 7\n\nc.jpg\t-1\r\n");
  const auto dataset = imagenet({{"image_list", list}});
  EXPECT_THAT(labels(*dataset), ElementsAre(7, -1));
}

TEST_F(ImagenetRaw, FindsTheListBesideTheImages) {
  add("c.png");
  EXPECT_THAT(message_of<DataError>([&] { imagenet(); }), HasSubstr("found neither val_map.txt nor val.txt"));
  folder_.write("val.txt", "c.png 3");
  EXPECT_THAT(labels(*imagenet()), ElementsAre(3));
  folder_.write("val_map.txt", "c.png 4");
  EXPECT_THAT(labels(*imagenet()), ElementsAre(4));
}

TEST_F(ImagenetRaw, NamesAWrongLine) {
  add("c.png");
  folder_.write("val.txt", "c.png 3\nmissing.png 4\n");
  EXPECT_THAT(message_of<DataError>([&] { imagenet(); }),
              AllOf(HasSubstr("val.txt:2: "), HasSubstr("missing.png: no such file")));
  folder_.write("val.txt", "c.png\n");
  EXPECT_THAT(message_of<DataError>([&] { imagenet(); }),
              HasSubstr("val.txt:1: expected a file name and a label, got 'c.png'"));
  folder_.write("val.txt", "c.png 3x\n");
  EXPECT_THAT(message_of<DataError>([&] { imagenet(); }), HasSubstr("got 'c.png 3x'"));
  folder_.write("val.txt", "\n");
  EXPECT_THAT(message_of<DataError>([&] { imagenet(); }), HasSubstr("lists no images"));
  EXPECT_THAT(message_of<DataError>([&] {
                imagenet({{"image_list", root() + "/none.txt"}});
              }),
              HasSubstr("none.txt: no such file"));
}

TEST_F(ImagenetRaw, ReadsCsvFilesWithAHeader) {
  add("x/a, b.png");
  add("c.jpg", "rgb_422.jpg");
  const std::string list = folder_.write("labels.csv", "id,Label,path\r\n1,5,\"x/a, b.png\"\n2,6,c\n");
  EXPECT_THAT(labels(*imagenet({{"image_list", list}})), ElementsAre(5, 6)) << "the column path is before id";
}

TEST_F(ImagenetRaw, ReadsCsvFilesWithoutAHeader) {
  add("a.png");
  add("b.png");
  const std::string list = folder_.write("labels.csv", "a.png;4\nb.png;2\n");
  EXPECT_THAT(labels(*imagenet({{"image_list", list}})), ElementsAre(4, 2));
}

TEST_F(ImagenetRaw, CountsTheSortedClassNamesOfACsvFile) {
  add("a.png");
  add("b.png");
  add("c.png");
  const std::string list = folder_.write("labels.csv", "file,class\na.png,wolf\nb.png,cat\nc.png,wolf\n");
  EXPECT_THAT(labels(*imagenet({{"image_list", list}})), ElementsAre(1, 0, 1));
  EXPECT_THAT(read_image_labels("x", root(), list).classes, ElementsAre("cat", "wolf"));
}

TEST_F(ImagenetRaw, NamesAWrongLineOfACsvFile) {
  add("a.png");
  const std::string list = folder_.write("labels.csv", "file,class\na.png,wolf\nb.png\n");
  EXPECT_THAT(message_of<DataError>([&] {
                imagenet({{"image_list", list}});
              }),
              HasSubstr("labels.csv:3: expected a file name and a label, got 'b.png'"));
  folder_.write("labels.csv", "file,class\nz.png,wolf\n");
  EXPECT_THAT(message_of<DataError>([&] { imagenet({{"image_list", list}}); }), HasSubstr("z.png: no such file"));
}

TEST_F(StyleTransfer, ReturnsAllPairsWithTheContentFirst) {
  add("content/b.png");
  add("content/a.png", "grey.png");
  add("style/1.png", "grey.png");
  add("style/2.PNG");
  add("style/3.jpg", "rgb_420.jpg");
  const auto dataset = style_transfer({{"crop_ratio", 0.0}});
  ASSERT_EQ(dataset->size(), 4u);
  const Sample first = dataset->at(0), last = dataset->at(3);
  ASSERT_EQ(first.inputs.size(), 2u);
  EXPECT_EQ(first.inputs[0].describe(), "f32 [6,8,3]");
  EXPECT_EQ(values_of<float>(first.inputs[0]), values_of<float>(first.inputs[1])) << "a.png and 1.png are one picture";
  EXPECT_EQ(values_of<float>(last.inputs[0]), values_of<float>(last.inputs[1])) << "b.png and 2.PNG are one picture";
  EXPECT_NE(values_of<float>(first.inputs[0]), values_of<float>(last.inputs[0]));
  EXPECT_EQ(first.label.value_at(0), 0);
  const auto values = values_of<float>(last.inputs[0]);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 0.5f);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), 1.0f);
}

TEST_F(StyleTransfer, CropsOnlyTheStyleImage) {
  add("content/a.png");
  add("style/a.png");
  const Sample whole = style_transfer({{"crop_ratio", 0.0}})->at(0), cut = style_transfer()->at(0);
  EXPECT_EQ(values_of<float>(whole.inputs[0]), values_of<float>(cut.inputs[0]));
  EXPECT_NE(values_of<float>(whole.inputs[1]), values_of<float>(cut.inputs[1]));
}

TEST_F(StyleTransfer, RejectsMissingImagesAndInvalidParameters) {
  EXPECT_THAT(message_of<DataError>([&] { style_transfer(); }), HasSubstr("content_folder: "));
  add("content/a.png");
  folder_.write("style/a.txt", "");
  EXPECT_THAT(message_of<DataError>([&] { style_transfer(); }),
              AllOf(HasSubstr("style_folder"), HasSubstr("found no file whose name ends with 'png'")));
  add("style/a.png");
  EXPECT_THAT(message_of<ConfigError>([&] { style_transfer({{"crop_ratio", 0.5}}); }), HasSubstr("crop_ratio is 0.5"));
  EXPECT_THAT(message_of<ConfigError>([&] {
                style_transfer({{"resize_shape", std::vector<std::int64_t>{8}}});
              }),
              HasSubstr("resize_shape is [8]; expected width and height"));
  folder_.write("style/b.png", "no picture");
  EXPECT_THAT(message_of<DataError>([&] { style_transfer()->at(1); }), HasSubstr("b.png"));
}

}  // namespace
}  // namespace lpot
