#include "lpot/core/error.h"
#include "lpot/runtime/runner.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Rows of x, doubled.
Model twice(const ov::PartialShape& shape) {
  const auto x = parameter(shape, "x");
  return as_model({std::make_shared<op::Multiply>(x, constant({1}, {2}))}, {x});
}

Tensor rows(std::size_t count, std::size_t width, float first) {
  Tensor tensor(ElementType::F32, {count, width});
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = first + static_cast<float>(i);
  return tensor;
}

std::vector<Tensor> run_all(Runner& runner, const std::vector<Tensor>& batches) {
  std::size_t next = 0;
  std::vector<Tensor> results;
  runner.run(
      [&]() -> std::optional<std::vector<Tensor>> {
        if (next == batches.size()) return std::nullopt;
        return std::vector{batches[next++]};
      },
      [&](std::vector<Tensor> outputs) { results.push_back(outputs[0]); });
  return results;
}

void expect_doubled(const std::vector<Tensor>& batches, const std::vector<Tensor>& results) {
  ASSERT_EQ(results.size(), batches.size());
  for (std::size_t i = 0; i < batches.size(); ++i) {
    ASSERT_EQ(results[i].shape(), batches[i].shape()) << "batch " << i;
    for (std::size_t k = 0; k < batches[i].size(); ++k)
      EXPECT_EQ(results[i].data<float>()[k], 2 * batches[i].data<float>()[k]) << "batch " << i << ", value " << k;
  }
}

TEST(Runner, PadsAShortLastBatchAndRemovesThePadding) {
  Runner runner(twice({-1, 3}), {}, {.threads = 2});
  const std::vector<Tensor> batches{rows(4, 3, 0), rows(4, 3, 12), rows(1, 3, 24)};
  expect_doubled(batches, run_all(runner, batches));
}

TEST(Runner, RunsBatchesOfChangingLengthsInTheirOrder) {
  Runner runner(twice({-1, -1}), {}, {.threads = 2});
  std::vector<Tensor> batches;
  // More lengths than the limit of compilations, and each occurs again.
  for (std::size_t i = 0; i < 30; ++i) batches.push_back(rows(1 + i % 2, 1 + i * 7 % 13, static_cast<float>(i)));
  expect_doubled(batches, run_all(runner, batches));
}

TEST(Runner, CompilesForShapesThatOccurAgain) {
  Runner runner(twice({-1, -1}), {}, {.threads = 2});
  std::vector<Tensor> batches;
  for (std::size_t length = 1; length <= 20; ++length) batches.push_back(rows(2, length, 0));
  expect_doubled(batches, run_all(runner, batches));
  EXPECT_EQ(runner.compilations(), 2u) << "the first shape and an open one";
  expect_doubled({rows(2, 7, 1), rows(2, 7, 5)}, run_all(runner, {rows(2, 7, 1), rows(2, 7, 5)}));
  EXPECT_EQ(runner.compilations(), 3u);
}

TEST(Runner, CompilesForTheLengthsOfTextsAtOnce) {
  const auto ids = parameter({-1, -1}, "input_ids"), mask = parameter({-1, -1}, "attention_mask");
  const Model model = as_model({std::make_shared<op::Add>(ids, mask)}, {ids, mask});
  Runner runner(model, {{"input_ids", "attention_mask"}, true, {4, 8}}, {.threads = 2});
  std::vector<std::vector<Tensor>> batches;
  for (std::size_t length = 1; length <= 8; ++length) batches.push_back({rows(2, length, 0), rows(2, length, 0)});
  std::vector<Shape> shapes;
  std::size_t next = 0;
  runner.run([&]() { return next < batches.size() ? std::optional(batches[next++]) : std::nullopt; },
             [&](std::vector<Tensor> outputs) { shapes.push_back(outputs[0].shape()); });
  ASSERT_EQ(shapes.size(), 8u);
  EXPECT_EQ(shapes.front(), (Shape{2, 4}));
  EXPECT_EQ(shapes.back(), (Shape{2, 8}));
  EXPECT_EQ(runner.compilations(), 2u);
}

TEST(Runner, AcceptsAnyBatchSizeForAModelWithAFixedBatchSize) {
  Runner runner(twice({4, 3}), {}, {.threads = 2});
  const std::vector<Tensor> batches{rows(2, 3, 0), rows(4, 3, 6), rows(5, 3, 18), rows(1, 3, 33)};
  expect_doubled(batches, run_all(runner, batches));
}

TEST(Runner, RunsAModelWithABatchSizeInItsConstants) {
  const auto x = parameter({2, 3}, "x");
  const auto shape = op::Constant::create(ov::element::i64, {2}, {3, 2});
  const Model model = as_model({std::make_shared<op::Reshape>(x, shape, false)}, {x});
  Runner runner(model, {}, {.threads = 1});
  EXPECT_EQ(run_all(runner, {rows(2, 3, 0)})[0].shape(), (Shape{3, 2}));
}

TEST(Runner, NamesTheOpThatFixesTheBatch) {
  for (const int batch : {1, -1})
    for (const int threads : {1, 2}) {
      const auto x = parameter({batch, 3}, "x");
      const auto shape = op::Constant::create(ov::element::i64, {2}, {3, 1});
      const Model model = as_model({named(std::make_shared<op::Reshape>(x, shape, false), "flat")}, {x});
      Runner runner(model, {}, {.threads = threads});
      EXPECT_THAT(
          message_of<ModelError>([&] { run_all(runner, {rows(8, 3, 0)}); }),
          HasSubstr("the batch size is 8, but the model has a fixed batch size of 1 at the op 'flat' (Reshape)"))
          << "batch " << batch << ", " << threads << " threads";
    }
}

TEST(Runner, ReturnsTheSameWithAnyNumberOfStreams) {
  const std::vector<Tensor> batches{rows(4, 3, 0), rows(4, 3, 12), rows(2, 3, 24)};
  for (const int streams : {1, 3}) {
    Runner runner(twice({-1, 3}), {}, {.threads = 2, .streams = streams});
    expect_doubled(batches, run_all(runner, batches));
  }
}

TEST(Runner, AcceptsAnEmptySource) {
  Runner runner(twice({-1, 3}), {}, {});
  EXPECT_TRUE(run_all(runner, {}).empty());
}

TEST(Runner, ForwardsTheErrorOfItsSource) {
  Runner runner(twice({-1, 3}), {}, {.threads = 2});
  int given = 0;
  const auto source = [&]() -> std::optional<std::vector<Tensor>> {
    if (++given == 3) throw DataError("source", "sample 7 is damaged");
    return std::vector{rows(1, 3, 0)};
  };
  EXPECT_EQ(message_of<DataError>([&] { runner.run(source, [](auto) {}); }), "[source] sample 7 is damaged");
}

TEST(Runner, WorksAfterAnError) {
  Runner runner(twice({-1, 3}), {}, {.threads = 2});
  EXPECT_THROW(run_all(runner, {rows(4, 3, 0), rows(4, 3, 1), rows(4, 2, 2)}), DataError);
  const std::vector<Tensor> batches{rows(4, 3, 5), rows(4, 3, 17)};
  expect_doubled(batches, run_all(runner, batches));
}

TEST(Runner, PadsAShortBatchOfTextsOfAnyLength) {
  Runner runner(twice({-1, -1}), {{"x"}, true}, {.threads = 2});
  const std::vector<Tensor> batches{rows(4, 32, 0), rows(4, 64, 12), rows(1, 64, 24), rows(3, 32, 7)};
  expect_doubled(batches, run_all(runner, batches));
}

// Adds a random number to the rows of x, so that all inferences give different outputs.
Model at_random() {
  const auto x = parameter({-1, 3}, "x");
  const auto any = std::make_shared<op::RandomUniform>(op::Constant::create(ov::element::i64, {2}, {1, 3}),
                                                       constant({}, {0.0f}), constant({}, {9.0f}), ov::element::f32);
  return as_model({std::make_shared<op::Add>(x, any)}, {x});
}

// Simulates wrong compilations of the runtime.
class WrongAtFirst : public Compilations {
 public:
  explicit WrongAtFirst(int times) : times_(times) {}
  std::optional<Executable> acquire(const Model&, const CompileOptions& options) override {
    if (acquired_ == times_) return std::nullopt;
    ++acquired_;
    return Executable(at_random(), options);
  }
  int acquired() const { return acquired_; }

 private:
  int times_, acquired_ = 0;
};

struct Told {
  Told() {
    observer.on_log = [this](LogLevel level, std::string_view message) { all.emplace_back(level, message); };
  }
  Observer observer;
  std::vector<std::pair<LogLevel, std::string>> all;
};

TEST(Runner, CompilesAgainUntilStreamsAgree) {
  WrongAtFirst wrong(2);
  Told told;
  Runner runner(twice({-1, 3}), {}, {.threads = 2, .ahead = &wrong, .observer = &told.observer});
  const std::vector<Tensor> batches{rows(4, 3, 0), rows(4, 3, 12), rows(2, 3, 24)};
  expect_doubled(batches, run_all(runner, batches));
  EXPECT_EQ(wrong.acquired(), 2);
  ASSERT_EQ(told.all.size(), 2u);
  for (const auto& [level, message] : told.all) {
    EXPECT_EQ(level, LogLevel::Info);
    EXPECT_THAT(message, ::testing::HasSubstr("compiling the model again"));
  }
}

TEST(Runner, ChecksEveryCompilationOnce) {
  WrongAtFirst wrong(1);
  Runner runner(twice({-1, 3}), {}, {.threads = 2, .ahead = &wrong});
  expect_doubled({rows(4, 3, 0)}, run_all(runner, {rows(4, 3, 0)}));
  expect_doubled({rows(4, 3, 1)}, run_all(runner, {rows(4, 3, 1)}));
  EXPECT_EQ(runner.compilations(), 1u);
}

TEST(Runner, DoesNotCompareOneStream) {
  WrongAtFirst wrong(1);
  Runner runner(twice({-1, 3}), {}, {.threads = 2, .streams = 1, .ahead = &wrong});
  EXPECT_NE(run_all(runner, {rows(4, 3, 0)})[0].data<float>()[0], 0);
}

TEST(Runner, RunsAModelWithRandomOperations) {
  Told told;
  Runner runner(at_random(), {}, {.threads = 2, .observer = &told.observer});
  EXPECT_EQ(run_all(runner, {rows(4, 3, 0), rows(4, 3, 1), rows(4, 3, 2)}).size(), 3u);
  ASSERT_FALSE(told.all.empty());
  EXPECT_EQ(told.all.back().first, LogLevel::Warning);
  EXPECT_THAT(told.all.back().second, ::testing::HasSubstr("different outputs for the same samples"));
  EXPECT_EQ(run_all(runner, {rows(4, 3, 3)}).size(), 1u);
  EXPECT_EQ(told.all.back().first, LogLevel::Warning) << "told once";
}

}  // namespace
}  // namespace lpot
