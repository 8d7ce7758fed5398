#include "lpot/core/file.h"
#include "lpot/data/tf_example.h"
#include "lpot/data/tfrecord_writer.h"
#include "records.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

TEST(Crc32c, IsCastagnolisPolynomial) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\0'))), 0x8a9136aau);  // RFC 3720, appendix B.4
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(Example, ReturnsTextsFloatsAndIntegers) {
  const Example parsed(bytes_of(
      example(bytes_feature("name", {"a", "bc"}) + float_feature("box", {0.5f, -1}) + integer_feature("id", {7, -3}))));
  EXPECT_THAT(parsed["name"].texts, ElementsAre("a", "bc"));
  EXPECT_THAT(parsed["box"].floats, ElementsAre(0.5f, -1));
  EXPECT_THAT(parsed["id"].integers, ElementsAre(7, -3));
  EXPECT_TRUE(parsed["nothing"].texts.empty());
  EXPECT_THAT(parsed.names(), ElementsAre("box", "id", "name"));
}

TEST(Example, ReadsNumbersThatAreNotPacked) {
  const std::string one = std::string(1, 0x0d) + raw(2.5f), two = std::string(1, 0x08) + varint(300);
  const Example parsed(bytes_of(example(feature("f", field(2, one + one)) + feature("i", field(3, two)))));
  EXPECT_THAT(parsed["f"].floats, ElementsAre(2.5f, 2.5f));
  EXPECT_THAT(parsed["i"].integers, ElementsAre(300));
}

TEST(Example, RejectsTruncatedBytes) {
  const std::string whole = example(bytes_feature("name", {"abcdef"}));
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_THROW(Example(bytes_of(whole.substr(0, length))), DataError) << length;
}

class Records : public ::testing::Test {
 protected:
  TFRecords open(const std::string& name) const { return {"ImageRecord", {folder_.path() / name}}; }
  std::string open_error(const std::string& bytes) const {
    folder_.write("r", bytes);
    return message_of<DataError>([&] { open("r"); });
  }
  TempFolder folder_;
};

TEST_F(Records, ReadsAnyRecordOfSeveralFiles) {
  folder_.write("a", record("one") + record(""));
  folder_.write("b", record(std::string(100000, 'x')));
  const TFRecords records("ImageRecord", {folder_.path() / "a", folder_.path() / "b"});
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records.read(2).size(), 100000u);
  EXPECT_EQ(records.read(0), bytes_of("one"));
  EXPECT_TRUE(records.read(1).empty());
  EXPECT_THAT(records.describe(2), HasSubstr("b: record 0"));
  EXPECT_THAT(message_of<DataError>([&] { records.read(3); }), HasSubstr("sample 3 does not exist"));
}

TEST_F(Records, NamesTheTruncatedRecord) {
  const std::string whole = record("first") + record("second");
  EXPECT_THAT(open_error(whole.substr(0, whole.size() - 1)),
              AllOf(HasSubstr("r: record 1: the record has 6 bytes, but the file ends after 9"),
                    HasSubstr("download it again")));
  EXPECT_THAT(open_error(whole.substr(0, record("first").size() + 5)),
              HasSubstr("record 1: the file ends inside the header of the record"));
  EXPECT_THAT(open_error(""), HasSubstr("no records"));
}

TEST_F(Records, NamesTheRecordWithAWrongChecksum) {
  std::string bytes = record("first") + record("second");
  bytes[record("first").size() + 14] ^= 1;
  folder_.write("r", bytes);
  const TFRecords records = open("r");
  EXPECT_EQ(records.read(0), bytes_of("first"));
  EXPECT_THAT(message_of<DataError>([&] { records.read(1); }), HasSubstr("r: record 1: the checksum is wrong"));
  bytes[record("first").size()] ^= 1;
  EXPECT_THAT(open_error(bytes), HasSubstr("record 1: the checksum of the length is wrong"));
}

TEST_F(Records, FindsFilesByFolderNameAndPattern) {
  const std::string root = folder_.path().string();
  EXPECT_THAT(message_of<DataError>([&] { find_record_files("X", root); }),
              HasSubstr("the folder contains no record files"));
  for (const char* name : {"val-1-of-2", "train-1-of-2", "c.tfrecord", "notes.txt"}) folder_.write(name, "");
  EXPECT_EQ(find_record_files("X", root).size(), 3u);
  EXPECT_THAT(find_record_files("X", root, "val"), ElementsAre(folder_.path() / "val-1-of-2"));
  EXPECT_THAT(find_record_files("X", root + "/*-of-*"),
              ElementsAre(folder_.path() / "train-1-of-2", folder_.path() / "val-1-of-2"));
  EXPECT_THAT(find_record_files("X", root + "/notes.txt"), ElementsAre(folder_.path() / "notes.txt"));
  EXPECT_THAT(message_of<DataError>([&] { find_record_files("X", root + "/none"); }),
              HasSubstr("no such file or folder"));
}

class ImageRecords : public Records {
 protected:
  std::unique_ptr<Dataset> dataset(const std::string& name, const std::string& features) const {
    folder_.write("val-00000-of-00001", record(example(features)));
    return make_dataset(component(name, {{"root", folder_.path().string()}}));
  }
  static std::string image() {
    const auto bytes = read_file(LPOT_SOURCE_DIR "/tests/data/images/rgb_420.jpg");
    return bytes_feature("image/encoded", {{bytes.begin(), bytes.end()}});
  }
};

TEST_F(ImageRecords, ReturnImageAndLabelUnchanged) {
  for (const char* name : {"ImageRecord", "TFRecordDataset"}) {
    const Sample sample = dataset(name, image() + integer_feature("image/class/label", {1000}))->at(0);
    EXPECT_EQ(sample.inputs.at(0).describe(), "u8 [19,21,3]");
    EXPECT_EQ(*sample.label.data<std::int64_t>(), 1000);
  }
}

TEST_F(ImageRecords, NameTheRecordWithAMissingOrDamagedImage) {
  const auto error = [&](const std::string& features) {
    return message_of<DataError>([&] { dataset("ImageRecord", features)->at(0); });
  };
  EXPECT_THAT(error(integer_feature("a", {1})),
              AllOf(HasSubstr("[ImageRecord] sample 0: "), HasSubstr("of-00001: record 0: "),
                    HasSubstr("no feature image/encoded, only a")));
  EXPECT_THAT(error(bytes_feature("image/encoded", {"\xff\xd8\xff"})), HasSubstr("damaged JPEG"));
}

TEST_F(ImageRecords, ReturnBoxesOfObjects) {
  const std::string boxes =
      float_feature("image/object/bbox/ymin", {0, 0.5f}) + float_feature("image/object/bbox/xmin", {0.25f, 0}) +
      float_feature("image/object/bbox/ymax", {0.5f, 1}) + float_feature("image/object/bbox/xmax", {0.75f, 1});
  const Tensor voc = dataset("VOCRecord", image() + boxes + integer_feature("image/object/class/label", {3, 20}) +
                                              integer_feature("image/object/difficult", {0, 1}))
                         ->at(0)
                         .label;
  EXPECT_EQ(voc.shape(), (Shape{2, 7}));
  EXPECT_THAT(values_of<float>(voc),
              ElementsAre(0, 0.25f, 0.5f, 0.75f, 3, 0, 0.25f * 19 * 21, 0.5f, 0, 1, 1, 20, 1, 0.5f * 19 * 21));
  const Tensor coco =
      dataset("COCORecord", image() + boxes + bytes_feature("image/object/class/text", {"person", "toothbrush"}) +
                                float_feature("image/object/area", {5, 6}))
          ->label(0);
  EXPECT_THAT(values_of<float>(coco), ElementsAre(0, 0.25f, 0.5f, 0.75f, 1, 0, 5, 0.5f, 0, 1, 1, 90, 0, 6));
}

TEST_F(ImageRecords, RejectInvalidBoxes) {
  const auto error = [&](const std::string& features) {
    return message_of<DataError>([&] { dataset("COCORecord", image() + features)->at(0); });
  };
  EXPECT_THAT(error(float_feature("image/object/bbox/ymin", {0})), HasSubstr("1 ymin, 0 xmin, 0 ymax and 0 xmax"));
  EXPECT_THAT(error(integer_feature("image/object/class/label", {1})),
              HasSubstr("1 classes (image/object/class/label or text) for 0 boxes"));
  EXPECT_THAT(error(bytes_feature("image/object/class/text", {"unicorn"})),
              HasSubstr("'unicorn' is not a COCO category"));
}

TEST_F(ImageRecords, ReturnTheClassOfEachPixelForVocSegmentation) {
  const auto bytes = read_file(LPOT_SOURCE_DIR "/tests/data/images/grey.png");
  const std::string classes = bytes_feature("image/segmentation/class/encoded", {{bytes.begin(), bytes.end()}});
  EXPECT_EQ(dataset("VOCRecord", image() + classes)->at(0).label.describe(), "u8 [19,21]");
}

TEST_F(Records, AreReadAsTheyWereWritten) {
  const std::map<std::string, FeatureValues> features{{"ids", std::vector<std::int64_t>{7, -3, 1000000000}},
                                                      {"box", std::vector<float>{0.5f, -1}},
                                                      {"name", std::vector<std::string>{"a", ""}}};
  EXPECT_EQ(encode_example(features),
            example(float_feature("box", {0.5f, -1}) + integer_feature("ids", {7, -3, 1000000000}) +
                    bytes_feature("name", {"a", ""})));
  TFRecordWriter writer(folder_ / "w.tf_record");
  writer.add(encode_example(features));
  writer.add("");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "w.tf_record")) << "before it is finished";
  writer.finish();
  const TFRecords records = open("w.tf_record");
  ASSERT_EQ(records.size(), 2u);
  const Example first(records.read(0));
  EXPECT_THAT(first["ids"].integers, ElementsAre(7, -3, 1000000000));
  EXPECT_THAT(first["box"].floats, ElementsAre(0.5f, -1));
  EXPECT_THAT(first["name"].texts, ElementsAre("a", ""));
}

TEST_F(Records, LeaveNoFileWithoutFinish) {
  { TFRecordWriter(folder_ / "w.tf_record").add("one"); }
  EXPECT_TRUE(folder_.names().empty());
  EXPECT_THAT(message_of<StoreError>([&] { TFRecordWriter(folder_ / "missing/w.tf_record"); }),
              HasSubstr("missing/w.tf_record: cannot be opened: No such file or directory"));
}

}  // namespace
}  // namespace lpot
