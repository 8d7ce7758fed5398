#include "lpot/runtime/sequence_states.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Tensor> outputs_with_state(float value) { return {Tensor(), Tensor::from<float>({1}, {value})}; }

TEST(SequenceStates, AreEmptyAtTheStartOfEverySequence) {
  SequenceStates states({{.output = 1, .input = 1}}, {0, 2});
  EXPECT_THAT(states.release(0), IsEmpty());
  EXPECT_FALSE(states.is_ready(1));
  states.store(0, outputs_with_state(5));
  EXPECT_TRUE(states.is_ready(1));
  EXPECT_EQ(states.release(1).at(0).value_at(0), 5);
  states.store(1, outputs_with_state(6));
  EXPECT_TRUE(states.is_ready(2));
  EXPECT_THAT(states.release(2), IsEmpty());
}

TEST(SequenceStates, AreCopies) {
  SequenceStates states({{.output = 1, .input = 1}}, {0});
  const std::vector<Tensor> outputs = outputs_with_state(5);
  states.store(0, outputs);
  Tensor reused = outputs[1];
  reused.data<float>()[0] = 7;
  EXPECT_EQ(states.release(1).at(0).value_at(0), 5);
}

TEST(SequenceStates, RefuseAStepWhosePredecessorDidNotRun) {
  SequenceStates states({{.output = 1, .input = 1}}, {0});
  EXPECT_THAT(message_of<DataError>([&] { states.release(3); }),
              HasSubstr("sample 3 continues a sequence whose sample 2 did not run before it"));
}

TEST(SequenceStates, ForgetTheStatesOfAnEarlierRun) {
  SequenceStates states({{.output = 1, .input = 1}}, {0});
  states.store(0, outputs_with_state(5));
  states.release(0);
  EXPECT_FALSE(states.is_ready(1));
}

TEST(SequenceStates, AreNotNeededWithoutBindings) {
  SequenceStates states({}, {0});
  EXPECT_TRUE(states.is_ready(17));
  EXPECT_THAT(states.release(17), IsEmpty());
}

TEST(InterleaveSequences, RunsOneStepOfEachSequenceInTurn) {
  EXPECT_THAT(interleave_sequences({0, 1, 2, 3, 4, 5}, {0, 3, 4}), ElementsAre(0, 3, 4, 1, 5, 2));
  EXPECT_THAT(interleave_sequences({4, 5, 0, 1}, {0, 3, 4}), ElementsAre(4, 0, 5, 1));
  EXPECT_THAT(interleave_sequences({}, {0}), IsEmpty());
}

TEST(InterleaveSequences, RunsAtMostSixteenSequencesAtOnce) {
  std::vector<std::size_t> positions, starts;
  for (std::size_t i = 0; i < 34; ++i) positions.push_back(i);
  for (std::size_t i = 0; i < 17; ++i) starts.push_back(2 * i);
  const std::vector<std::size_t> order = interleave_sequences(positions, starts);
  EXPECT_EQ(order.size(), 34u);
  EXPECT_EQ(order[15], 30u);
  EXPECT_EQ(order[16], 1u);
  EXPECT_EQ(order[32], 32u);
  EXPECT_EQ(order[33], 33u);
}

}  // namespace
}  // namespace lpot
