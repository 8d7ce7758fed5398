#include "lpot/core/file.h"
#include "lpot/data/filter.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kAnnotations = R"({
  "info": {"year": 2017},
  "images": [{"id": 9, "file_name": "b.png", "height": 20, "width": 40}, {"id": 4, "file_name": "a.png", "height": 10, "width": 10},
             {"id": 5, "file_name": "c.png", "height": 10, "width": 10}],
  "annotations": [
    {"id": 1, "image_id": 4, "category_id": 18, "bbox": [1, 2, 3, 4], "iscrowd": 1, "area": 7.5, "segmentation": [[1, 2, 3]]},
    {"id": 2, "image_id": 9, "category_id": 90, "bbox": [10, 5, 20, 10]},
    {"id": 3, "image_id": 9, "category_id": 1, "bbox": [0, 0, 40, 20], "iscrowd": 0, "area": 800, "segmentation": {"size": [1]}}]})";

class CocoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto bytes = read_file(LPOT_SOURCE_DIR "/tests/data/images/rgb.png");
    for (const char* name : {"a.png", "b.png", "c.png"})
      folder_.write(std::string("img/") + name, {bytes.begin(), bytes.end()});
    write_annotations(kAnnotations);
  }
  void write_annotations(const std::string& text) const { folder_.write("anno.json", text); }
  std::unique_ptr<Dataset> open() const {
    return make_dataset(component(
        "COCORaw",
        {{"root", folder_.path().string()}, {"img_dir", std::string("img")}, {"anno_dir", std::string("anno.json")}}));
  }
  std::string open_error() const {
    return message_of<DataError>([&] { open(); });
  }
  TempFolder folder_;
};

TEST_F(CocoTest, ReturnsBoxesRelativeToTheImage) {
  const auto dataset = open();
  ASSERT_EQ(dataset->size(), 3u);
  EXPECT_THAT(values_of<float>(dataset->at(0).label),
              ElementsAre(0.25f, 0.25f, 0.75f, 0.75f, 90, 0, 200, 0, 0, 1, 1, 1, 0, 800));
  EXPECT_THAT(values_of<float>(dataset->label(1)), ElementsAre(0.2f, 0.1f, 0.6f, 0.4f, 18, 1, 7.5f));
  EXPECT_EQ(dataset->at(2).label.describe(), "f32 [0,7]");
  EXPECT_EQ(dataset->at(2).inputs.at(0).describe(), "u8 [19,21,3]");
}

TEST_F(CocoTest, ReadsArraysNamedLikeTheImages) {
  write_annotations(R"({"images": [{"id": 1, "file_name": "x.jpg", "height": 2, "width": 2}], "annotations": []})");
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 3), }";
  header.resize(117, ' ');
  folder_.write("npy/x.jpg.npy", std::string("\x93NUMPY\x01\x00", 8) + "v" + std::string(1, '\0') + header + "\n" +
                                     std::string(12, 'a'));
  const auto dataset = make_dataset(component(
      "COCONpy",
      {{"root", folder_.path().string()}, {"npy_dir", std::string("npy")}, {"anno_dir", std::string("anno.json")}}));
  EXPECT_EQ(dataset->at(0).inputs.at(0).describe(), "u8 [2,2,3]");
}

TEST_F(CocoTest, NamesAMissingImageAndWrongAnnotations) {
  std::filesystem::remove(folder_.path() / "img" / "c.png");
  EXPECT_THAT(open_error(),
              AllOf(HasSubstr("[COCORaw] "), HasSubstr("c.png: no such file, but "), HasSubstr("anno.json lists it")));
  write_annotations("{\"images\": [");
  EXPECT_THAT(open_error(), HasSubstr("anno.json: not a COCO annotation file"));
  write_annotations("{\"images\": []}");
  EXPECT_THAT(open_error(), HasSubstr("annotations"));
  write_annotations(R"({"images": [], "annotations": [{"image_id": 3, "bbox": [], "category_id": 1}]})");
  EXPECT_THAT(open_error(), HasSubstr("an annotation refers to image 3, which is not in images"));
  write_annotations(R"({"images": [], "annotations": []})");
  EXPECT_THAT(open_error(), HasSubstr("lists no images"));
  std::filesystem::remove(folder_.path() / "anno.json");
  EXPECT_THAT(open_error(), HasSubstr("anno.json: no such file"));
}

TEST_F(CocoTest, LabelBalanceSelectsSamplesWithThisNumberOfObjects) {
  const auto two = balance_labels(open(), 2);
  ASSERT_EQ(two->size(), 1u);
  EXPECT_EQ(two->at(0).label.describe(), "f32 [2,7]");
  EXPECT_NE(two->identity(), open()->identity());
  EXPECT_THAT(message_of<DataError>([&] { balance_labels(open(), 5); }), HasSubstr("none of 3 samples has 5 boxes"));
}

TEST(LabelBalance, RejectsLabelsThatAreNotBoxes) {
  using Texts = std::vector<std::string>;
  const std::shared_ptr<const Dataset> dummy = make_dataset(component("dummy", {{"shape", Texts{"2", "3"}},
                                                                                {"low", std::vector<double>{0}},
                                                                                {"high", std::vector<double>{1}},
                                                                                {"dtype", Texts{"f32"}},
                                                                                {"label", true}}));
  EXPECT_THAT(message_of<DataError>([&] { balance_labels(dummy, 1); }), HasSubstr("the label of sample 0 is i64 []"));
}

}  // namespace
}  // namespace lpot
