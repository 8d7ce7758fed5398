// The model that is built in the background: it is returned once, for its plan, with the requested compilations.
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
      return NextModel::BuiltModel{{}, network()};
    });
  }

  const CompileOptions one_row{.input_shapes = {{1, 3, 8, 8}}}, two_rows{.input_shapes = {{2, 3, 8, 8}}};
  std::atomic<int> made = 0;
  NextModel next;
};

TEST_F(NextModelTest, IsReturnedOnlyForItsPlan) {
  expect("a");
  EXPECT_FALSE(next.acquire_model(plan("first")));  // begins a
  expect("b");
  EXPECT_TRUE(next.acquire_model(plan("a")));
  EXPECT_FALSE(next.acquire_model(plan("c")));
  EXPECT_FALSE(next.acquire_model(plan("b"))) << "dropped when c replaced it";
}

TEST_F(NextModelTest, IsNotBuiltBeforeTheCurrentModelIsTaken) {
  expect("a");
  EXPECT_EQ(made, 0);
  next.acquire_model(plan("first"));
  EXPECT_TRUE(next.acquire_model(plan("a")));
  EXPECT_EQ(made, 1);
}

TEST_F(NextModelTest, IsCompiledWithTheOptionsOfTheLastModelOfItsKind) {
  const Model first = network();
  expect("a");
  next.acquire_model(plan("first"));
  next.set_running(Step::Kind::Probe);
  EXPECT_FALSE(next.acquire(first, one_row));
  const auto a = next.acquire_model(plan("a"));
  ASSERT_TRUE(a);
  next.set_running(Step::Kind::Probe);
  EXPECT_FALSE(next.acquire(a->model, one_row)) << "started before the first request";
  expect("b");
  next.acquire_model(plan("none"));
  next.set_running(Step::Kind::Try);
  next.acquire(first, two_rows);
  const auto b = next.acquire_model(plan("b"));
  ASSERT_TRUE(b);
  EXPECT_FALSE(next.acquire(first, one_row)) << "of another model";
  EXPECT_FALSE(next.acquire(b->model, two_rows)) << "asked for by a trial only";
  auto executable = next.acquire(b->model, one_row);
  ASSERT_TRUE(executable);
  EXPECT_EQ(executable->infer({random_tensor({1, 3, 8, 8}, 1)}).front().shape(), (Shape{1, 4, 8, 8}));
  EXPECT_FALSE(next.acquire(b->model, one_row)) << "already acquired";
}

TEST_F(NextModelTest, IsCompiledAsOftenAsTheSameOptionsWereRequested) {
  next.set_running(Step::Kind::Probe);
  next.acquire(network(), one_row);
  next.acquire(network(), one_row);
  expect("a");
  next.acquire_model(plan("first"));
  const auto a = next.acquire_model(plan("a"));
  ASSERT_TRUE(a);
  EXPECT_TRUE(next.acquire(a->model, one_row));
  EXPECT_TRUE(next.acquire(a->model, one_row)) << "waits for the second compilation";
  EXPECT_FALSE(next.acquire(a->model, one_row));
}

TEST_F(NextModelTest, RethrowsBuildErrorsWhenItIsTaken) {
  next.expect({plan("a"), Step::Kind::Try},
              []() -> NextModel::BuiltModel { throw ModelError("quantize", "no such op"); });
  next.acquire_model(plan("first"));
  EXPECT_THROW(next.acquire_model(plan("a")), ModelError);
}

TEST_F(NextModelTest, IgnoresAShapeThatDoesNotCompile) {
  const CompileOptions wrong{.input_shapes = {{1, 5, 8, 8}}};
  next.set_running(Step::Kind::Probe);
  next.acquire(network(), wrong);
  next.acquire(network(), one_row);
  expect("a");
  next.acquire_model(plan("first"));
  const auto a = next.acquire_model(plan("a"));
  ASSERT_TRUE(a);
  EXPECT_FALSE(next.acquire(a->model, wrong));
  EXPECT_TRUE(next.acquire(a->model, one_row));
}

}  // namespace
}  // namespace lpot
