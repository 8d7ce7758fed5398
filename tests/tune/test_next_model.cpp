// The model that is made while another runs: the right one is handed out, once, and compiled for what is asked for.
#include "lpot/tune/next_model.h"

#include <atomic>

#include "lpot/core/error.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

struct NextModelTest : ::testing::Test {
  static Plan plan(const std::string& op) {
    Plan made;
    made.ops[op].precision = Precision::Int8;
    return made;
  }
  static Model network() {
    const auto x = parameter({-1, 3, 8, 8}, "x");
    return as_model({conv3x3(x, 3, 4, "conv", 1)}, {x});
  }
  void expect(const std::string& op, Step::Kind kind = Step::Kind::Probe) {
    next.expect({plan(op), kind}, [this] {
      ++made;
      return NextModel::Made{{}, network()};
    });
  }

  const CompileOptions one_row{.input_shapes = {{1, 3, 8, 8}}}, two_rows{.input_shapes = {{2, 3, 8, 8}}};
  std::atomic<int> made = 0;
  NextModel next;
};

TEST_F(NextModelTest, IsReturnedOnlyForItsPlan) {
  expect("a");
  EXPECT_FALSE(next.take(plan("first")));  // begins a
  expect("b");
  EXPECT_TRUE(next.take(plan("a")));
  EXPECT_FALSE(next.take(plan("c")));
  EXPECT_FALSE(next.take(plan("b"))) << "dropped when c came in its place";
}

TEST_F(NextModelTest, IsNotBuiltBeforeTheCurrentModelIsTaken) {
  expect("a");
  EXPECT_EQ(made, 0);
  next.take(plan("first"));
  EXPECT_TRUE(next.take(plan("a")));
  EXPECT_EQ(made, 1);
}

TEST_F(NextModelTest, IsCompiledWithTheOptionsOfTheLastModelOfItsKind) {
  const Model first = network();
  expect("a");
  next.take(plan("first"));
  next.runs(Step::Kind::Probe);
  EXPECT_FALSE(next.take(first, one_row));
  const auto a = next.take(plan("a"));
  ASSERT_TRUE(a);
  EXPECT_FALSE(next.take(a->model, one_row)) << "begun before anybody had asked";
  expect("b");
  next.take(plan("none"));
  next.runs(Step::Kind::Try);
  next.take(first, two_rows);
  const auto b = next.take(plan("b"));
  ASSERT_TRUE(b);
  EXPECT_FALSE(next.take(first, one_row)) << "of another model";
  EXPECT_FALSE(next.take(b->model, two_rows)) << "asked for by a trial only";
  auto executable = next.take(b->model, one_row);
  ASSERT_TRUE(executable);
  EXPECT_EQ(executable->infer({random_tensor({1, 3, 8, 8}, 1)}).front().shape(), (Shape{1, 4, 8, 8}));
  EXPECT_FALSE(next.take(b->model, one_row)) << "handed out already";
}

TEST_F(NextModelTest, RethrowsBuildErrorsWhenItIsTaken) {
  next.expect({plan("a"), Step::Kind::Try}, []() -> NextModel::Made { throw ModelError("quantize", "no such op"); });
  next.take(plan("first"));
  EXPECT_THROW(next.take(plan("a")), ModelError);
}

TEST_F(NextModelTest, IgnoresAShapeThatDoesNotCompile) {
  const CompileOptions wrong{.input_shapes = {{1, 5, 8, 8}}};
  next.runs(Step::Kind::Probe);
  next.take(network(), wrong);
  next.take(network(), one_row);
  expect("a");
  next.take(plan("first"));
  const auto a = next.take(plan("a"));
  ASSERT_TRUE(a);
  EXPECT_FALSE(next.take(a->model, wrong));
  EXPECT_TRUE(next.take(a->model, one_row));
}

}  // namespace
}  // namespace lpot
