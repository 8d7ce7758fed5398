#include "lpot/data/loader.h"
#include "support.h"
#include "tests/support/components.h"
#include "tests/support/squad.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextLines : public ::testing::Test {
 protected:
  TextLines() { write_vocabulary(folder_); }
  std::unique_ptr<Dataset> open(std::map<std::string, Value> values = {}) const {
    values.emplace("root", folder_.path().string());
    values.emplace("model_name_or_path", folder_.path().string());
    return make_dataset(with_defaults(datasets(), "text", std::move(values)));
  }
  static std::vector<std::int64_t> ids(const Dataset& data, std::size_t index) {
    return values_of<std::int64_t>(data.at(index).inputs[0]);
  }
  TempFolder folder_;
};

// Ids of the vocabulary: who 4, was 5, duke 6, ? 7, the 8, man 9, of 10; [CLS] 2, [SEP] 3.
TEST_F(TextLines, AreSamplesWithoutLabels) {
  folder_.write("b.txt", "The man\r\n\n");
  folder_.write("a.txt", "who was duke?\n  of \n");
  const auto data = open();
  ASSERT_EQ(data->size(), 3u) << "vocab.txt and empty lines are no texts";
  EXPECT_THAT(ids(*data, 0), ElementsAre(2, 4, 5, 6, 7, 3));
  EXPECT_THAT(ids(*data, 1), ElementsAre(2, 10, 3));
  EXPECT_THAT(ids(*data, 2), ElementsAre(2, 8, 9, 3));
  EXPECT_TRUE(data->label(0).empty());
  EXPECT_TRUE(data->at(0).label.empty());
}

TEST_F(TextLines, AreTruncatedAndPadded) {
  const std::string file = folder_.write("a.txt", "who was duke?\nof\n");
  const auto data = std::shared_ptr<const Dataset>(open({{"root", file}, {"max_seq_length", std::int64_t{5}}}));
  EXPECT_THAT(ids(*data, 0), ElementsAre(2, 4, 5, 6, 3));
  const DataLoader loader(data, {}, {.batch_size = 2});
  EXPECT_EQ(loader.read().next()->inputs.at(0).shape(), (Shape{2, 5}));
}

TEST_F(TextLines, AreMissing) {
  EXPECT_THAT(message_of<DataError>([&] { open(); }), HasSubstr("found no text in 0 .txt files"));
  EXPECT_THAT(message_of<DataError>([&] {
                open({{"root", std::string("/none")}});
              }),
              HasSubstr("/none: no such file or folder"));
  EXPECT_THAT(message_of<ConfigError>([&] {
                open({{"max_seq_length", std::int64_t{3}}});
              }),
              HasSubstr("max_seq_length: expected at least 4, got 3"));
}

TEST_F(TextLines, InSubfoldersHaveTheClassOfTheFolder) {
  std::filesystem::create_directory(folder_ / "sport");
  std::filesystem::create_directory(folder_ / "arts");
  folder_.write("archive/1.zip", "no class");
  folder_.write("sport/1.txt", "who\nwas\n");
  folder_.write("arts/1.txt", "duke\n");
  const auto data = open();
  ASSERT_EQ(data->size(), 3u);
  EXPECT_THAT(ids(*data, 0), ElementsAre(2, 6, 3));
  EXPECT_EQ(data->label(0).value_at(0), 0);
  EXPECT_EQ(data->at(2).label.value_at(0), 1);
}

TEST_F(TextLines, OfPairsAreSamplesOfTheirOwn) {
  const std::string first = folder_.write("a.txt", "who was\tduke\t4.5\n\nof\tman\t1\n");
  folder_.write("b.txt", "the\tthe\t5\n");
  const auto data = open({{"pairs", std::string("separate")}});
  ASSERT_EQ(data->size(), 6u);
  EXPECT_THAT(ids(*data, 0), ElementsAre(2, 4, 5, 3));
  EXPECT_THAT(ids(*data, 1), ElementsAre(2, 6, 3));
  EXPECT_THAT(values_of<double>(data->label(1)), ElementsAre(0, 4.5));
  EXPECT_THAT(values_of<double>(data->at(2).label), ElementsAre(1, 1));
  EXPECT_THAT(values_of<double>(data->at(5).label), ElementsAre(2, 5));
}

TEST_F(TextLines, OfPairsNeedTwoTextsAndANumber) {
  const auto error_of = [&](const std::string& text) {
    folder_.write("a.txt", text);
    return message_of<DataError>([&] { open({{"pairs", std::string("separate")}}); });
  };
  EXPECT_THAT(error_of("who\twas\t1\nwho\twas\n"), HasSubstr("a.txt:2: found 2 columns; expected two texts and a"));
  EXPECT_THAT(error_of("who\twas\tsimilar\n"), HasSubstr("found 3 columns and 'similar' as similarity"));
}

}  // namespace
}  // namespace lpot
