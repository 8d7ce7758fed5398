#include "lpot/core/error.h"
#include "lpot/runtime/executable.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/streaming.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = 2x + 1, rows of three.
Model twice_plus_one(ov::Dimension rows = -1) {
  const auto x = parameter({rows, 3}, "x");
  return as_model(
      {std::make_shared<op::Add>(std::make_shared<op::Multiply>(x, constant({1}, {2})), constant({1}, {1}))}, {x});
}

std::vector<float> floats(const Tensor& tensor) { return {tensor.data<float>(), tensor.data<float>() + tensor.size()}; }

TEST(Executable, ComputesTheGraph) {
  Executable run(twice_plus_one());
  const auto outputs = run.infer({Tensor::from<float>({2, 3}, {0, 1, 2, 3, 4, 5})});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].shape(), (Shape{2, 3}));
  EXPECT_THAT(floats(outputs[0]), ElementsAre(1, 3, 5, 7, 9, 11));
}

TEST(Executable, KeepsAnOutputAfterTheNextInference) {
  Executable run(twice_plus_one());
  const auto first = run.infer({Tensor::from<float>({1, 3}, {0, 0, 0})});
  run.infer({Tensor::from<float>({1, 3}, {9, 9, 9})});
  EXPECT_THAT(floats(first[0]), ElementsAre(1, 1, 1));
}

TEST(Executable, StartsEachInferenceWithInitialStates) {
  const Model model = running_sum();
  Executable run(model, {.streams = 2});
  for (const float value : {1.0f, 5.0f, 2.0f})
    EXPECT_THAT(floats(run.infer({Tensor::from<float>({1, 3}, {value, 0, 0})})[0]), ElementsAre(value, 0, 0));
  for (int i = 0; i < 4; ++i) {
    run.start({Tensor::from<float>({1, 3}, {3, 4, 5})});
    EXPECT_THAT(floats(run.finish()[0]), ElementsAre(3, 4, 5));
  }
}

TEST(Executable, NamesBothShapesIfDataDoNotMatch) {
  Executable run(twice_plus_one());
  EXPECT_THAT(message_of<DataError>([&] {
                run.infer({Tensor(ElementType::F32, {2, 4})});
              }),
              AllOf(HasSubstr("[?,3]"), HasSubstr("(2.4)")));
  EXPECT_THAT(message_of<DataError>([&] { run.infer({}); }),
              HasSubstr("the model has 1 inputs, but the data have 0 tensors"));
}

TEST(Executable, ReportsWhyAShapeCannotBeCompiled) {
  const auto x = parameter({-1, 4}, "x");
  const Model model = as_model({product(x, 4, 2, "fc")}, {x});
  EXPECT_THAT(message_of<ModelError>([&] { Executable(model, {.input_shapes = {{1, 5}}}); }), HasSubstr("[compile]"));
}

// The flatten of an exported classifier has the batch size of the export.
TEST(Executable, NamesTheOpThatFixesTheBatch) {
  for (const ov::Dimension& rows : {ov::Dimension(1), ov::Dimension(-1)}) {
    const auto x = parameter({rows, 2, 2}, "x");
    const auto shape = op::Constant::create(ov::element::i64, {2}, {1, 4});
    const Model model = as_model({named(std::make_shared<op::Reshape>(x, shape, false), "flat")}, {x});
    EXPECT_EQ(message_of<ModelError>([&] {
                Executable(model, {.input_shapes = {{8, 2, 2}}});
              }),
              "[compile] made in a test: the batch size is 8, but the model has a fixed batch size of 1 at the op "
              "'flat' (Reshape). Use batch size 1 (--batch-size of 'lpot bench', batch_size of a dataloader), or "
              "export the model with a dynamic batch");
    EXPECT_THAT(message_of<ModelError>([&] {
                  Executable(model, {.input_shapes = {{1, 2, 3}}});
                }),
                HasSubstr("OpenVINO cannot compile the model"))
        << "another batch size does not help";
  }
}

class InferAll : public ::testing::TestWithParam<int> {};

TEST_P(InferAll, ReturnsResultsInTheOrderOfTheSource) {
  Executable run(twice_plus_one(), {.threads = 2, .streams = GetParam()});
  float next = 0;
  std::vector<float> found;
  run.infer_all(
      [&]() -> std::optional<std::vector<Tensor>> {
        if (next == 20) return std::nullopt;
        const float value = next++;
        return std::vector{Tensor::from<float>({1, 3}, {value, value, value})};
      },
      [&](std::vector<Tensor> outputs) { found.push_back(outputs[0].data<float>()[0]); });
  ASSERT_EQ(found.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(found[i], 2 * static_cast<float>(i) + 1);
}

TEST_P(InferAll, StopsAtTheFirstBadInputAndCanBeUsedAgain) {
  Executable run(twice_plus_one(), {.threads = 2, .streams = GetParam()});
  int given = 0;
  const auto source = [&]() -> std::optional<std::vector<Tensor>> {
    return std::vector{Tensor(ElementType::F32, {1, ++given < 5 ? 3u : 4u})};
  };
  EXPECT_THROW(run.infer_all(source, [](auto) {}), DataError);
  EXPECT_THAT(floats(run.infer({Tensor::from<float>({1, 3}, {1, 1, 1})})[0]), ElementsAre(3, 3, 3));
}

INSTANTIATE_TEST_SUITE_P(Streams, InferAll, ::testing::Values(1, 3));

TEST(ExecutedOps, NameTheSourceOfEveryKernel) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  Executable run(as_model({conv3x3(x, 3, 4, "conv")}, {x}), {.profile = true});
  run.infer({Tensor(ElementType::F32, {1, 3, 8, 8})});
  bool found = false;
  for (const ExecutedOp& kernel : run.executed_ops())
    if (kernel.type == "Convolution") {
      found = true;
      EXPECT_THAT(kernel.source_names, ::testing::Contains("conv"));
      EXPECT_FALSE(kernel.is_int8()) << kernel.kernel;
      EXPECT_EQ(kernel.precision, "f32");
      EXPECT_GT(kernel.time_ms, 0);
    }
  EXPECT_TRUE(found);
}

TEST(Executable, KeepsOutputsDuringTheNextInference) {
  for (const ov::PartialShape& shape : {ov::PartialShape{2}, ov::PartialShape{-1}}) {
    const auto x = parameter(shape, "x");
    Executable executable(as_model({std::make_shared<op::Multiply>(x, constant({1}, {2}))}, {x}), {.streams = 1});
    const Tensor first = executable.infer({Tensor::from<float>({2}, {1, 2})}).at(0);
    const Tensor second = executable.infer({Tensor::from<float>({2}, {10, 20})}).at(0);
    EXPECT_EQ(first.data<float>()[1], 4);
    EXPECT_EQ(second.data<float>()[1], 40);
  }
}

// A residual network of matrix products. Its outputs are all inner tensors (one of them twice), the input and a
// constant.
Model watched_blocks(std::size_t blocks, ov::Dimension rows = -1) {
  const auto x = parameter({rows, 4}, "x");
  ov::OutputVector outputs{x, constant({2}, {3, 4})};
  ov::Output<ov::Node> last = x, first;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto next = product(last, 4, 4, "fc" + std::to_string(i));
    if (i == 0) first = next;
    outputs.push_back(next);
    last = std::make_shared<op::Add>(next, i + 1 == blocks ? first : last);
    outputs.push_back(last);
  }
  outputs.push_back(first);
  return as_model(outputs, {x});
}

TEST(Executable, ComputesTheSameInPartsAsInOneGraph) {
  for (const int rows : {-1, 3}) {
    const Model model = watched_blocks(12, rows);
    const Tensor input = Tensor::from<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const auto whole = Executable(model).infer({input});
    for (const std::size_t most : {1, 2, 5, 26}) {
      Executable in_parts(model, {.streams = 2, .most_outputs = most});
      for (int again = 0; again < 3; ++again) {
        in_parts.start({input});
        in_parts.start({input});
        for (int stream = 0; stream < 2; ++stream) {
          const auto found = in_parts.finish();
          ASSERT_EQ(found.size(), whole.size());
          for (std::size_t i = 0; i < whole.size(); ++i) {
            EXPECT_EQ(found[i].shape(), whole[i].shape());
            EXPECT_EQ(floats(found[i]), floats(whole[i])) << "output " << i << ", parts of " << most;
          }
        }
      }
    }
  }
}

TEST(Executable, NamesBothShapesAlsoInParts) {
  Executable in_parts(watched_blocks(4), {.most_outputs = 2});
  EXPECT_THAT(message_of<DataError>([&] {
                in_parts.infer({Tensor(ElementType::F32, {2, 5})});
              }),
              AllOf(HasSubstr("[?,4]"), HasSubstr("(2.5)")));
  EXPECT_EQ(in_parts.infer({Tensor(ElementType::F32, {2, 4})}).size(), 11u);
}

}  // namespace
}  // namespace lpot
