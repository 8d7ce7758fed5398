#include "lpot/core/error.h"
#include "lpot/core/text_tensor.h"
#include "lpot/evaluate/evaluate.h"
#include "tests/support/components.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/squad.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SquadV1 : public ::testing::Test {
 protected:
  SquadV1() {
    write_vocabulary(folder_);
    folder_.write("dev.json", kSquad);
  }

  // Windows of 20 tokens: one for each of the three questions.
  Postprocesses chain(std::int64_t max_seq_length = 20) const {
    return make_postprocesses({with_defaults(postprocesses(), "SquadV1",
                                             {{"label_file", (folder_ / "dev.json").string()},
                                              {"vocab_file", folder_.path().string()},
                                              {"max_query_length", std::int64_t{9}},
                                              {"max_seq_length", max_seq_length}})});
  }

  static Tensor row(std::size_t high, float value) {
    Tensor logits(ElementType::F32, {20});
    logits.data<float>()[high] = value;
    return logits;
  }

  static Tensor id(std::int64_t number) { return Tensor::scalar<std::int64_t>(1000000000 + number); }

  TempFolder folder_;
};

TEST_F(SquadV1, ConvertsLogitsToTextsAndUniqueIdsToLabels) {
  // q1: "The man" at 6, 7; q2: "Normandy" at 9.
  const BatchResult answered =
      chain()[0]->apply({{stack({row(6, 2), row(9, 3)}), stack({row(7, 1), row(9, 1)})}, {id(0), id(1)}});
  EXPECT_THAT(to_texts(answered.outputs[0]), ElementsAre("The man", "Normandy"));
  EXPECT_EQ(answered.outputs[1].value_at(1), 4);
  EXPECT_THAT(to_texts(answered.labels[1]), ElementsAre("q2", "Normandy", "in Normandy"));
}

TEST_F(SquadV1, ReadsUniqueIdsFromAnIntegerOutputAndInterleavedLogits) {
  Tensor both(ElementType::F32, {1, 20, 2});
  both.data<float>()[2 * 9] = 1;
  both.data<float>()[2 * 9 + 1] = 1;
  const Tensor ids = Tensor::from<std::int32_t>({1}, {1000000001});
  EXPECT_THAT(to_texts(chain()[0]->apply({{ids, both}, {Tensor()}}).outputs[0]), ElementsAre("Normandy"));
}

TEST_F(SquadV1, ReportsMissingOutputs) {
  EXPECT_THAT(message_of<DataError>([&] {
                chain()[0]->apply({{stack({row(6, 2)})}, {id(0)}});
              }),
              AllOf(HasSubstr("found the model outputs f32 [1,20]"), HasSubstr("Name them in model.outputs")));
  const std::vector<Tensor> logits{stack({row(6, 2)}), stack({row(6, 2)})};
  EXPECT_THAT(message_of<DataError>([&] {
                chain()[0]->apply({logits, {id(3)}});
              }),
              HasSubstr("sample 0 of the batch: found unique id 1000000003; expected 1000000000 to "
                        "1000000002"));
  EXPECT_THAT(message_of<DataError>([&] { chain()[0]->apply({logits, {Tensor()}}); }), HasSubstr("found unique id -1"));
  EXPECT_THAT(message_of<DataError>([&] {
                chain(19)[0]->apply({logits, {id(0)}});
              }),
              HasSubstr("found logits of 20 tokens; expected at most max_seq_length = 19"));
}

// A model whose inputs are its logits: the windows of q1 and q2 are right, that of q3 is wrong.
TEST_F(SquadV1, FeedsSquadF1) {
  const auto start = parameter({-1, 20}, "start"), end = parameter({-1, 20}, "end");
  const Model model = as_model({std::make_shared<op::Relu>(start), std::make_shared<op::Relu>(end)}, {start, end});
  const std::vector<Sample> samples{
      {{row(6, 2), row(7, 2)}, id(0)}, {{row(9, 2), row(9, 2)}, id(1)}, {{row(3, 2), row(3, 2)}, id(2)}};
  for (const std::size_t batch_size : {1u, 2u, 3u}) {
    const Score score =
        evaluate(model, loader_of(samples, batch_size),
                 make_metrics({{"SquadF1", {}, {}}, {"SquadExactMatch", {}, {}}, {"Agreement", {}, {}}}),
                 {.postprocess = chain(), .is_baseline = true});
    EXPECT_DOUBLE_EQ(score.accuracy(), 200.0 / 3);
    EXPECT_DOUBLE_EQ(score.metrics[1].second, 200.0 / 3);
    EXPECT_EQ(score.metrics[2].second, 1) << "compares the logits, not the texts";
  }
}

}  // namespace
}  // namespace lpot
