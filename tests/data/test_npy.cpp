#include <cstring>

#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A .npy file as numpy.save writes it.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = std::string("\x93NUMPY", 6) + static_cast<char>(version) + '\0';
  const std::size_t length = header.size();
  bytes += static_cast<char>(length & 0xff);
  bytes += static_cast<char>(length >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class NpyTest : public ::testing::Test {
 protected:
  std::unique_ptr<Dataset> open(const std::map<std::string, std::string>& inputs, const std::string& labels = "") {
    std::map<std::string, Value> values{{"inputs", inputs}};
    if (!labels.empty()) values["labels"] = labels;
    return make_dataset(component("npy", values));
  }
  std::string open_error(const std::string& bytes) {
    const std::string path = folder_.write("x.npy", bytes);
    return message_of<DataError>([&] { open({{"x", path}}); });
  }
  TempFolder folder_;
};

TEST_F(NpyTest, ReturnsARowOfEveryInputAndTheLabel) {
  const std::string ids =
      folder_.write("ids.npy", npy(header("<i8", "(2, 3)"), bytes_of<std::int64_t>({1, 2, 3, 4, 5, 6})));
  const std::string mask = folder_.write("mask.npy", npy(header("|b1", "(2,)"), std::string{'\1', '\0'}, 2));
  const std::string labels =
      folder_.write("labels.npy", npy(header("<f4", "(2, 1)"), bytes_of<float>({0.5f, 1.5f}), 3));
  const auto dataset = open({{"mask:0", mask}, {"ids:0", ids}}, labels);
  EXPECT_THAT(dataset->input_names(), ElementsAre("ids:0", "mask:0"));
  ASSERT_EQ(dataset->size(), 2u);
  const Sample sample = dataset->at(1);
  EXPECT_THAT(values_of<std::int64_t>(sample.inputs.at(0)), ElementsAre(4, 5, 6));
  EXPECT_EQ(sample.inputs.at(1).describe(), "bool []");
  EXPECT_EQ(sample.inputs[1].value_at(0), 0);
  EXPECT_THAT(values_of<float>(sample.label), ElementsAre(1.5f));
}

TEST_F(NpyTest, ReturnsAnEmptyLabelIfThereAreNone) {
  const std::string path =
      folder_.write("x.npy", npy(header("<f2", "(1, 2)"), bytes_of<std::uint16_t>({0x3c00, 0x4000})));
  const Sample sample = open({{"x", path}})->at(0);
  EXPECT_TRUE(sample.label.empty());
  EXPECT_EQ(sample.inputs[0].describe(), "f16 [2]");
  EXPECT_EQ(sample.inputs[0].value_at(1), 2.0);
}

TEST_F(NpyTest, ReadsEveryNumberType) {
  const std::vector<std::pair<std::string, std::string>> types{
      {"|u1", "u8"},  {"|i1", "i8"},  {"<u2", "u16"}, {"<i2", "i16"}, {"<u4", "u32"}, {"<i4", "i32"},
      {"<u8", "u64"}, {"<i8", "i64"}, {"<f2", "f16"}, {"<f4", "f32"}, {"<f8", "f64"}};
  for (const auto& [descr, name] : types) {
    const std::size_t width = static_cast<std::size_t>(descr[2] - '0');
    const std::string path = folder_.write("x.npy", npy(header(descr, "(1,)"), std::string(width, '\0')));
    EXPECT_EQ(open({{"x", path}})->at(0).inputs[0].describe(), name + " []");
  }
}

TEST_F(NpyTest, RejectsAMissingFile) {
  EXPECT_THAT(message_of<DataError>([&] {
                open({{"x", "/nowhere/x.npy"}});
              }),
              HasSubstr("[npy] /nowhere/x.npy: no such file"));
}

TEST_F(NpyTest, RejectsAFileThatIsNotNpy) {
  EXPECT_THAT(open_error("PK\3\4............."), HasSubstr("x.npy: not a .npy file"));
  EXPECT_THAT(open_error("abc"), HasSubstr("3 bytes, too short"));
}

TEST_F(NpyTest, RejectsATruncatedHeader) {
  const std::string whole = npy(header("<f4", "(1,)"), "");
  EXPECT_THAT(open_error(whole.substr(0, 30)), HasSubstr("a header of"));
  EXPECT_THAT(open_error(npy("{'descr': '<f4', }", "")), HasSubstr("the header lacks descr, fortran_order or shape"));
  EXPECT_THAT(open_error(npy(header("<f4", "(1,"), "")), HasSubstr("the header lacks"));
}

TEST_F(NpyTest, RejectsAnUnknownVersion) {
  EXPECT_THAT(open_error(npy(header("<f4", "(0,)"), "", 9)), HasSubstr("version 9"));
}

TEST_F(NpyTest, RejectsTypesThatAreNotLittleEndianNumbers) {
  for (const char* descr : {">f4", "<c8", "<U3", "|O", "<M8[s]"})
    EXPECT_THAT(open_error(npy(header(descr, "(1,)"), "12345678")), AllOf(HasSubstr(descr), HasSubstr("astype")));
}

TEST_F(NpyTest, RejectsStructuredTypes) {
  EXPECT_THAT(open_error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")),
              HasSubstr("[('a', '<f4')]"));
}

TEST_F(NpyTest, RejectsFortranOrderOfMatricesOnly) {
  EXPECT_THAT(open_error(npy(header("|u1", "(1, 2)", "True"), "ab")), HasSubstr("ascontiguousarray"));
  const std::string path = folder_.write("y.npy", npy(header("|u1", "(2,)", "True"), "ab"));
  EXPECT_EQ(open({{"y", path}})->size(), 2u);
}

TEST_F(NpyTest, RejectsDataThatDoNotFitTheShape) {
  EXPECT_THAT(open_error(npy(header("<f4", "(2, 3)"), "1234")), HasSubstr("4 bytes of data do not match f32 [2,3]"));
  EXPECT_THAT(open_error(npy(header("<f4", "(1,)"), "12345")), HasSubstr("5 bytes"));
}

TEST_F(NpyTest, RejectsAShapeWhoseSizeOverflows) {
  EXPECT_THAT(open_error(npy(header("|u1", "(4294967296, 4294967296)"), "")), HasSubstr("do not match"));
  EXPECT_THAT(open_error(npy(header("|u1", "(99999999999999999999999,)"), "")), HasSubstr("the header lacks"));
}

TEST_F(NpyTest, RejectsASingleNumberAndAnEmptyArray) {
  EXPECT_THAT(open_error(npy(header("|u1", "()"), "a")), HasSubstr("first dimension is the number of samples"));
  EXPECT_THAT(open_error(npy(header("|u1", "(0, 3)"), "")), HasSubstr("no rows"));
}

TEST_F(NpyTest, NamesBothFilesIfTheirRowsDiffer) {
  const std::string a = folder_.write("a.npy", npy(header("|u1", "(2,)"), "ab"));
  const std::string b = folder_.write("b.npy", npy(header("|u1", "(3,)"), "abc"));
  const auto differ = AllOf(HasSubstr("a.npy has 2 rows"), HasSubstr("b.npy has 3"));
  EXPECT_THAT(message_of<DataError>([&] { open({{"a", a}, {"b", b}}); }), differ);
  EXPECT_THAT(message_of<DataError>([&] { open({{"a", a}}, b); }), differ);
}

TEST_F(NpyTest, ReportsAFileThatShrinksLater) {
  const std::string path = folder_.write("x.npy", npy(header("|u1", "(3,)"), "abc"));
  const auto dataset = open({{"x", path}});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_EQ(dataset->at(1).inputs[0].value_at(0), 'b');
  EXPECT_THAT(message_of<DataError>([&] { dataset->at(2); }), HasSubstr("expected 1 more bytes"));
}

TEST_F(NpyTest, NamesAnIndexOutOfRange) {
  const std::string path = folder_.write("x.npy", npy(header("|u1", "(3,)"), "abc"));
  EXPECT_THAT(message_of<DataError>([&] { open({{"x", path}})->at(3); }), HasSubstr("sample 3 does not exist"));
}

TEST_F(NpyTest, NeedsAnInput) { EXPECT_THROW(open({}), ConfigError); }

}  // namespace
}  // namespace lpot
