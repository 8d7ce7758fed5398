#include "lpot/data/loader.h"
#include "records.h"
#include "support.h"
#include "tests/support/components.h"
#include "tests/support/squad.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Text = std::string;

class Bert : public ::testing::Test {
 protected:
  Bert() {
    write_vocabulary(folder_);
    folder_.write("dev.json", kSquad);
  }

  Component conf(std::map<std::string, Value> values = {}) const {
    values.emplace("root", folder_.path().string());
    values.emplace("label_file", (folder_ / "dev.json").string());
    return with_defaults(datasets(), "bert", std::move(values));
  }

  TempFolder folder_;
};

TEST_F(Bert, SquadSamplesHaveIdsMaskSegmentsAndTheUniqueIdAsLabel) {
  const auto data = make_dataset(conf());
  ASSERT_EQ(data->size(), 3u);
  EXPECT_THAT(data->input_names(), ElementsAre("input_ids", "attention_mask", "token_type_ids", "unique_ids"));
  const Sample sample = data->at(1);  // [CLS] where ? [SEP] the man was duke of normandy , in 1035 . [SEP]
  EXPECT_THAT(values_of<std::int64_t>(sample.inputs[0]),
              ElementsAre(2, 25, 7, 3, 8, 9, 5, 6, 10, 11, 15, 12, 13, 16, 3));
  EXPECT_THAT(values_of<std::int64_t>(sample.inputs[1]), ::testing::Each(1));
  EXPECT_THAT(values_of<std::int64_t>(sample.inputs[2]), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(*sample.inputs[3].data<std::int64_t>(), 1000000001);
  EXPECT_EQ(*sample.label.data<std::int64_t>(), 1000000001);
}

TEST_F(Bert, PadsABatchToItsLongestSampleOrToOneOfAFewLengths) {
  const auto length = [&](std::map<std::string, Value> values) {
    const DataLoader loader(make_dataset(conf(std::move(values))), {}, {.batch_size = 3, .workers = 0});
    const Batch batch = *loader.read().next();
    EXPECT_EQ(batch.inputs[3].shape(), (Shape{3}));
    EXPECT_EQ(batch.inputs[1].shape(), batch.inputs[0].shape());
    EXPECT_EQ(batch.inputs[0].slice(2).value_at(12), 0) << "filled up: [CLS] where [SEP] a b c d e f g h [SEP]";
    return batch.inputs[0].shape()[1];
  };
  EXPECT_EQ(length({{"max_seq_length", std::int64_t{128}}}), 17u);
  EXPECT_EQ(length({{"dynamic_length", false}}), 384u);
  EXPECT_THAT(make_dataset(conf({{"max_seq_length", std::int64_t{128}}}))->lengths(), ElementsAre(32, 64, 96, 128));
  EXPECT_THAT(make_dataset(conf({{"max_seq_length", std::int64_t{75}}}))->lengths(), ElementsAre(19, 38, 57, 75));
  EXPECT_THAT(make_dataset(conf({{"dynamic_length", false}}))->lengths(), ElementsAre(384));
}

TEST_F(Bert, SelectsArticlesAndKeepsTheirUniqueIds) {
  const auto data = make_dataset(conf({{"articles", std::vector<Text>{"Letters"}}}));
  ASSERT_EQ(data->size(), 1u);
  EXPECT_EQ(*data->at(0).label.data<std::int64_t>(), 1000000002);
  EXPECT_THAT(message_of<ConfigError>([&] {
                make_dataset(conf({{"articles", std::vector<Text>{"Leters"}}}));
              }),
              HasSubstr("conf.yaml:7: articles: label_file has no article 'Leters' (did you mean 'Letters'?)"));
}

TEST_F(Bert, RejectsOtherVocabulariesAndProposesNpy) {
  EXPECT_THAT(message_of<ConfigError>([&] {
                make_dataset(conf({{"model_type", Text("xlnet")}}));
              }),
              AllOf(HasSubstr("conf.yaml:7: model_type xlnet"), HasSubstr("use the data set npy")));
}

TEST_F(Bert, RejectsImpossibleLengths) {
  EXPECT_THAT(message_of<ConfigError>([&] {
                make_dataset(conf({{"doc_stride", std::int64_t{0}}}));
              }),
              HasSubstr("conf.yaml:7: doc_stride: expected at least 1, got 0"));
  EXPECT_THAT(message_of<ConfigError>([&] {
                make_dataset(conf({{"max_seq_length", std::int64_t{67}}}));
              }),
              HasSubstr("max_seq_length: 67 tokens are too few"));
}

TEST_F(Bert, ReadsTheFeaturesOfRecordsInSortedOrder) {
  std::string file;
  for (std::int64_t i = 0; i < 2; ++i)
    file += record(example(integer_feature("unique_ids", {1000000000 + i}) + integer_feature("input_mask", {1, 1, 0}) +
                           integer_feature("input_ids", {2, 4 + i, 0}) + float_feature("weight", {0.5f})));
  const auto data = make_dataset(conf({{"root", folder_.write("eval.tf_record", file)}}));
  EXPECT_EQ(data->size(), 2u);
  EXPECT_THAT(data->input_names(), ElementsAre("input_ids", "input_mask", "unique_ids", "weight"));
  const Sample sample = data->at(1);
  EXPECT_THAT(values_of<std::int64_t>(sample.inputs[0]), ElementsAre(2, 5, 0));
  EXPECT_EQ(sample.inputs[2].shape(), Shape{});
  EXPECT_THAT(values_of<float>(sample.inputs[3]), ElementsAre(0.5f));
  EXPECT_EQ(*sample.label.data<std::int64_t>(), 1000000001);
}

TEST_F(Bert, ReadsLabelsOfClassifierRecordsFromLabelIdsOrAFile) {
  const std::string root = folder_.write(
      "eval.tf_record", record(example(integer_feature("input_ids", {2, 3}) + integer_feature("label_ids", {1}))) +
                            record(example(integer_feature("input_ids", {2, 3}) + integer_feature("label_ids", {0}))));
  Component component = with_defaults(datasets(), "bert", {{"root", root}, {"task", Text("classifier")}});
  EXPECT_EQ(*make_dataset(component)->at(0).label.data<std::int64_t>(), 1);
  const auto with_file = [&](const std::string& labels) {
    return make_dataset(
        conf({{"root", root}, {"task", Text("classifier")}, {"label_file", folder_.write("labels.txt", labels)}}));
  };
  EXPECT_EQ(*with_file("7\n8\n")->at(0).label.data<std::int64_t>(), 7);
  EXPECT_THAT(message_of<DataError>([&] { with_file("7\neight\n"); }),
              HasSubstr("labels.txt:2: the label of record 1 is 'eight'; expected an integer"));
  EXPECT_THAT(message_of<DataError>([&] { with_file("7\n"); }), HasSubstr("1 labels for 2 records"));
}

TEST_F(Bert, NamesARecordThatLacksAFeatureOrIsTruncated) {
  const std::string whole = record(example(integer_feature("input_ids", {2}) + integer_feature("unique_ids", {5})));
  const std::string lacking = record(example(integer_feature("unique_ids", {6})));
  const auto data = make_dataset(conf({{"root", folder_.write("lacking.tf_record", whole + lacking)}}));
  EXPECT_THAT(message_of<DataError>([&] { data->at(1); }),
              AllOf(HasSubstr("lacking.tf_record: record 1"), HasSubstr("no feature input_ids, only unique_ids")));
  const std::string cut = folder_.write("cut.tf_record", whole + whole.substr(0, whole.size() / 2));
  EXPECT_THAT(message_of<DataError>([&] {
                make_dataset(conf({{"root", cut}}));
              }),
              HasSubstr("cut.tf_record: record 1"));
}

TEST_F(Bert, NamesARecordWithOtherLengthsOrInvalidBytes) {
  const std::string whole = record(example(integer_feature("input_ids", {2, 3, 4}))),
                    shorter = record(example(integer_feature("input_ids", {2, 3})));
  const auto data = make_dataset(conf({{"root", folder_.write("short.tf_record", whole + shorter)}}));
  EXPECT_THAT(
      message_of<DataError>([&] { data->at(1); }),
      AllOf(HasSubstr("short.tf_record: record 1"), HasSubstr("input_ids has 2 values and 3 in the first record")));
  const std::string junk = folder_.write("junk.tf_record", record("hello world"));
  EXPECT_THAT(message_of<DataError>([&] {
                make_dataset(conf({{"root", junk}}));
              }),
              AllOf(HasSubstr("junk.tf_record: record 0"), HasSubstr("tf.train.Example")));
}

}  // namespace
}  // namespace lpot
