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

}  // namespace
}  // namespace lpot
