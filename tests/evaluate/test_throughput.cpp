// Batch size and streams are chosen during the evaluation itself.
#include "lpot/evaluate/throughput.h"

#include "lpot/evaluate/evaluate.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;

Model relu_model(std::int64_t batch) {
  const auto x = parameter({batch, 4}, "x");
  return as_model({std::make_shared<op::Relu>(x)}, {x});
}

std::vector<Sample> samples(std::size_t count) {
  std::vector<Sample> result;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor row(ElementType::F32, {4});
    row.data<float>()[i % 4] = 1;
    result.push_back({{row}, Tensor::scalar(static_cast<std::int64_t>(i % 3))});
  }
  return result;
}

TEST(ThroughputChoices, AreALargerBatchAndOneStream) {
  const std::vector<Throughput> both{{}, {32, 0}, {32, 1}};
  EXPECT_EQ(throughput_choices(relu_model(-1), loader_of(samples(100), 4), 2), both);
  EXPECT_THAT(throughput_choices(relu_model(-1), loader_of(samples(100), 64), 2),
              ElementsAre(Throughput{}, Throughput{0, 1}));
}

TEST(ThroughputChoices, KeepABatchThatMustNotChange) {
  EXPECT_THAT(throughput_choices(relu_model(4), loader_of(samples(100), 4), 1), ElementsAre(Throughput{})) << "fixed";
  const DataLoader without_last = loader_of(samples(100), 4).with({.batch_size = 4, .drop_last = true});
  EXPECT_THAT(throughput_choices(relu_model(-1), without_last, 1), ElementsAre(Throughput{}));
  EXPECT_THAT(throughput_choices(relu_model(-1), loader_of(samples(32), 4), 1), ElementsAre(Throughput{}))
      << "few samples";
}

// Simulates seconds per sample by batch size, and the time of a compilation.
struct Machine {
  std::map<std::size_t, double> per_sample;
  double compiling = 0.01;
  std::vector<Throughput> ran = {};
  std::size_t samples = 0;

  double run(const Throughput& way, std::size_t count) {
    const bool is_new = ran.empty() || !(ran.back() == way);
    ran.push_back(way);
    samples += count;
    return (is_new ? compiling : 0) + static_cast<double>(count) * per_sample.at(way.batch_size);
  }
};

Throughput chosen(Machine& machine, std::size_t samples) {
  return choose_throughput({{}, {32, 0}}, {.samples = samples, .batch_size = 4, .threads = 2},
                           [&](const Throughput& way, std::size_t count) { return machine.run(way, count); });
}

TEST(ChooseThroughput, ChoosesTheShortestTimePerSample) {
  Machine faster{{{0, 1e-3}, {32, 5e-4}}}, slower{{{0, 1e-3}, {32, 2e-3}}}, even{{{0, 1e-3}, {32, 0.97e-3}}};
  EXPECT_EQ(chosen(faster, 10000), (Throughput{32, 0}));
  EXPECT_EQ(chosen(slower, 10000), Throughput{});
  EXPECT_EQ(chosen(even, 10000), Throughput{}) << "the gain is too small";
  EXPECT_EQ(faster.samples, 3u * 8 + 3 * 64) << "two streams: one warm-up round and two timed rounds each";
}

TEST(ChooseThroughput, DoesNotCompileIfTheGainIsTooSmall) {
  Machine machine{{{0, 1e-3}, {32, 5e-4}}, 10};
  EXPECT_EQ(chosen(machine, 10000), Throughput{});
  EXPECT_EQ(machine.samples, 24u);
}

TEST(ChooseThroughput, NeverUsesMoreSamplesThanExist) {
  Machine machine{{{0, 1e-3}, {32, 5e-4}}, 1e-6};
  EXPECT_EQ(chosen(machine, 60), Throughput{});
  EXPECT_LE(machine.samples, 60u);
  Machine none{{{0, 1e-3}}};
  chosen(none, 5);
  EXPECT_EQ(none.samples, 0u);
}

TEST(ChooseThroughput, DoesNotChangeTheScore) {
  const Component top1{"topk", Parameters({{"k", std::int64_t{1}}}), {}};
  const auto metrics = make_metrics({top1});
  const DataLoader loader = loader_of(samples(1001), 3);
  const Score plain = evaluate(relu_model(-1), loader, metrics, {.threads = 2});
  const Evaluation chosen = run_evaluation(relu_model(-1), loader, metrics,
                                           {.threads = 2, .collect_sample_scores = true, .choose_throughput = true});
  EXPECT_EQ(chosen.score.accuracy(), plain.accuracy());
  EXPECT_EQ(chosen.score.samples, 1001u);
  ASSERT_EQ(chosen.sample_scores.size(), 1001u);
  for (const auto& score : chosen.sample_scores) EXPECT_TRUE(score);
  const Score again = evaluate(relu_model(-1), loader, metrics, {.threads = 2, .throughput = {32, 1}});
  EXPECT_EQ(again.accuracy(), plain.accuracy());
}

}  // namespace
}  // namespace lpot
