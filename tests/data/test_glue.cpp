#include "lpot/data/text/bert_input.h"
#include "lpot/data/text/glue_task.h"
#include "support.h"
#include "tests/support/components.h"
#include "tests/support/squad.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Text = std::string;

class Glue : public ::testing::Test {
 protected:
  Glue() { write_vocabulary(folder_); }

  std::unique_ptr<Dataset> open(const std::string& task, std::map<std::string, Value> values = {}) const {
    values.emplace("data_dir", folder_.path().string());
    values.emplace("model_name_or_path", folder_.path().string());
    values.emplace("task", task);
    return make_dataset(with_defaults(datasets(), "GLUE", std::move(values)));
  }

  std::string error_of(const std::string& task, const std::string& dev) const {
    folder_.write("dev.tsv", dev);
    return message_of<DataError>([&] { open(task); });
  }

  static std::vector<std::int64_t> ids(const Dataset& data, std::size_t index) {
    return values_of<std::int64_t>(data.at(index).inputs[0]);
  }
  static std::int64_t label(const Dataset& data, std::size_t index) {
    return *data.at(index).label.data<std::int64_t>();
  }

  TempFolder folder_;
};

// Ids of the vocabulary: who 4, was 5, duke 6, ? 7, the 8, man 9, of 10; [CLS] 2, [SEP] 3.
TEST_F(Glue, IgnoresAByteOrderMarkAndReadsQuotesAsText) {
  folder_.write("dev.tsv",
                "\xef\xbb\xbfQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
                "1\t12\t13\tThe man\tthe duke\r\n0\t14\t15\t\" was\tof \"\r\n");
  const auto data = open("mrpc");
  ASSERT_EQ(data->size(), 2u);
  EXPECT_THAT(ids(*data, 0), ElementsAre(2, 8, 9, 3, 8, 6, 3));
  EXPECT_THAT(values_of<std::int64_t>(data->at(0).inputs[2]), ElementsAre(0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(ids(*data, 1), ElementsAre(2, 1, 5, 3, 10, 1, 3)) << "a quotation mark alone, unknown here";
  EXPECT_EQ(label(*data, 0), 1);
  EXPECT_EQ(label(*data, 1), 0);
  EXPECT_THAT(data->input_names(), ElementsAre("input_ids", "attention_mask", "token_type_ids"));
}

struct Layout {
  std::string task, file, text;
  std::int64_t label;
  std::vector<std::int64_t> ids;
};

// One line of the file of each task, with text in the unused columns.
TEST_F(Glue, ReadsTheColumnsOfEveryTask) {
  const std::vector<std::int64_t> one{2, 4, 3}, two{2, 4, 3, 5, 3};
  const std::string eight = "x\tx\tx\tx\tx\tx\tx\tx\t";
  const std::vector<Layout> layouts{
      {"cola", "dev.tsv", "x\t1\t\twho\n", 1, one},
      {"cola", "test.tsv", "index\tsentence\n0\twho\n", -1, one},
      {"sst-2", "dev.tsv", "sentence\tlabel\nwho \t1\n", 1, one},
      {"sst-2", "test.tsv", "index\tsentence\n0\twho\n", -1, one},
      {"mrpc", "test.tsv", "index\ta\tb\tc\td\n0\t1\t2\twho\twas\n", -1, two},
      {"qqp", "dev.tsv", "h\n1\t2\t3\twho\twas\t1\n", 1, two},
      {"qqp", "test.tsv", "h\n1\twho\twas\n", -1, two},
      {"mnli", "dev_matched.tsv", "h\n" + eight + "who\twas\tx\tx\tx\tx\tx\tneutral\n", 2, two},
      {"mnli-mm", "dev_mismatched.tsv", "h\n" + eight + "who\twas\tx\tx\tx\tx\tx\tcontradiction\n", 0, two},
      {"mnli", "train.tsv", "h\n" + eight + "who\twas\tx\tentailment\n", 1, two},
      {"mnli", "test_matched.tsv", "h\n" + eight + "who\twas\n", -1, two},
      {"qnli", "dev.tsv", "h\n0\twho\twas\tnot_entailment\n", 1, two},
      {"rte", "dev.tsv", "h\n0\twho\twas\tentailment\n", 0, two},
      {"wnli", "dev.tsv", "h\n0\twho\twas\t1\n", 1, two},
      {"wnli", "test.tsv", "h\n0\twho\twas\n", -1, two}};
  for (const Layout& layout : layouts) {
    const auto data = open(layout.task, {{"data_dir", folder_.write(layout.file, layout.text)}});
    ASSERT_EQ(data->size(), 1u) << layout.task << " " << layout.file;
    EXPECT_EQ(ids(*data, 0), layout.ids) << layout.task << " " << layout.file;
    if (layout.label < 0)
      EXPECT_TRUE(data->at(0).label.empty()) << layout.task << " " << layout.file;
    else
      EXPECT_EQ(label(*data, 0), layout.label) << layout.task << " " << layout.file;
  }
}

TEST_F(Glue, ReadsNumbersAsLabelsOfStsb) {
  folder_.write("dev.tsv", "h\nx\tx\tx\tx\tx\tx\tx\twho\twas\t3.80\n");
  const auto data = open("sts-b");
  EXPECT_EQ(*data->at(0).label.data<float>(), 3.8f);
  EXPECT_THAT(error_of("sts-b", "h\nx\tx\tx\tx\tx\tx\tx\twho\twas\t5.5\n"),
              HasSubstr("dev.tsv:2: the label is '5.5', expected a number from 0 to 5 for the task sts-b"));
}

TEST_F(Glue, ReportsTheLineThatIsNotUtf8) {
  EXPECT_THAT(
      error_of("sst-2", "sentence\tlabel\ncaf\xc3\xa9\t1\ncaf\xe9\t1\n"),
      HasSubstr("dev.tsv:3: byte 4 of the line, 0xe9, is not UTF-8. If the file has another encoding, convert it"));
}

TEST_F(Glue, EvaluateChoosesTheFile) {
  folder_.write("dev.tsv", "sentence\tlabel\nwho\t1\n");
  folder_.write("train.tsv", "sentence\tlabel\nwas\t0\n");
  EXPECT_EQ(label(*open("sst-2"), 0), 1);
  EXPECT_EQ(label(*open("sst-2", {{"evaluate", false}}), 0), 0);
  EXPECT_THAT(message_of<DataError>([&] { open("mnli"); }),
              AllOf(HasSubstr("dev_matched.tsv"), HasSubstr("set data_dir to the folder of one task")));
}

TEST_F(Glue, TruncatesTheLongerSentenceFirst) {
  folder_.write("dev.tsv", "h\n1\t2\t3\twho was the duke of ?\twas\t1\n");
  EXPECT_THAT(ids(*open("qqp", {{"max_seq_length", std::int64_t{7}}}), 0), ElementsAre(2, 4, 5, 8, 3, 5, 3));
  folder_.write("dev.tsv", "sentence\tlabel\nwho was the duke\t1\n");
  EXPECT_THAT(ids(*open("sst-2", {{"max_seq_length", std::int64_t{5}}}), 0), ElementsAre(2, 4, 5, 8, 3));
}

TEST(TruncateLongestFirst, MatchesTheReference) {
  const auto cut = [](std::size_t first, std::size_t second, std::size_t room) {
    std::vector<Token> a(first), b(second);
    truncate_longest_first(a, b, room);
    return std::pair(a.size(), b.size());
  };
  EXPECT_EQ(cut(3, 4, 7), std::pair(std::size_t{3}, std::size_t{4}));
  EXPECT_EQ(cut(10, 2, 7), std::pair(std::size_t{5}, std::size_t{2}));
  EXPECT_EQ(cut(2, 10, 7), std::pair(std::size_t{2}, std::size_t{5}));
  EXPECT_EQ(cut(10, 9, 7), std::pair(std::size_t{4}, std::size_t{3}));
  EXPECT_EQ(cut(9, 10, 7), std::pair(std::size_t{3}, std::size_t{4}));
  EXPECT_EQ(cut(9, 9, 7), std::pair(std::size_t{3}, std::size_t{4}));
  EXPECT_EQ(cut(3, 9, 7), std::pair(std::size_t{3}, std::size_t{4}));
}

TEST_F(Glue, ReportsFileAndLineOfWrongLines) {
  EXPECT_THAT(error_of("sst-2", "sentence\tlabel\nwho\t1\nwas\n"),
              HasSubstr("dev.tsv:3: 1 columns, expected 2 for the task sst-2"));
  EXPECT_THAT(error_of("sst-2", "sentence\tlabel\n\nwho\t1\n"), HasSubstr("dev.tsv:2: 1 columns, expected 2"));
  EXPECT_THAT(error_of("mrpc", "h\n1\t2\t3\twho\twas\tof\n"), HasSubstr("dev.tsv:2: 6 columns, expected 5"));
  EXPECT_THAT(error_of("mrpc", "h\n2\t2\t3\twho\twas\n"),
              HasSubstr("dev.tsv:2: the label is '2', expected 0 or 1 for the task mrpc"));
  EXPECT_THAT(error_of("rte", "h\n1\twho\twas\tneutral\n"),
              HasSubstr("the label is 'neutral', expected entailment or not_entailment for the task rte"));
  EXPECT_THAT(error_of("mrpc", "h\n"), HasSubstr("dev.tsv: the file contains no sentences"));
}

TEST_F(Glue, RejectsAMissingVocabularyAndOtherModels) {
  folder_.write("dev.tsv", "sentence\tlabel\nwho\t1\n");
  EXPECT_THAT(message_of<DataError>([&] {
                open("sst-2", {{"model_name_or_path", Text("bert-base-uncased")}});
              }),
              HasSubstr("bert-base-uncased: no such file; expected the model's vocab.txt"));
  for (const char* type : {"roberta", "xlm", "xlnet"})
    EXPECT_THAT(message_of<ConfigError>([&] {
                  open("sst-2", {{"model_type", Text(type)}});
                }),
                AllOf(HasSubstr(type), HasSubstr("tokenize in Python"), HasSubstr("npy")));
  EXPECT_EQ(open("sst-2", {{"model_type", Text("distilbert")}})->size(), 1u);
}

TEST_F(Glue, RejectsAFileOfAnUnknownPart) {
  const std::string path = folder_.write("validation.tsv", "sentence\tlabel\nwho\t1\n");
  EXPECT_THAT(message_of<DataError>([&] {
                open("sst-2", {{"data_dir", path}});
              }),
              HasSubstr("validation.tsv: expected a file name that starts with train, dev or test"));
}

TEST_F(Glue, SeparatesThePairs) {
  folder_.write("dev.tsv",
                "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
                "0\tg\tf\ty\to\ts\ts\twho was\tduke\t5.000\n1\tg\tf\ty\to\ts\ts\tof\tman\t0.5\n");
  const auto data = open("sts-b", {{"pairs", Text("separate")}});
  ASSERT_EQ(data->size(), 4u);
  EXPECT_THAT(ids(*data, 0), ElementsAre(2, 4, 5, 3));
  EXPECT_THAT(ids(*data, 1), ElementsAre(2, 6, 3));
  EXPECT_THAT(ids(*data, 3), ElementsAre(2, 9, 3));
  EXPECT_THAT(values_of<double>(data->label(0)), ElementsAre(0, 5));
  EXPECT_THAT(values_of<double>(data->at(3).label), ElementsAre(1, 0.5));
  EXPECT_EQ(open("sts-b", {{"pairs", Text("joined")}})->size(), 2u);
  folder_.write("dev.tsv", "sentence\tlabel\nwho \t1\n");
  EXPECT_THAT(message_of<ConfigError>([&] {
                open("sst-2", {{"pairs", Text("separate")}});
              }),
              HasSubstr("the task sst-2 has single sentences"));
}

}  // namespace
}  // namespace lpot
