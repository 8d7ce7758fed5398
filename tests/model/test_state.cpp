#include "lpot/model/state.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "tests/model/encode.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = x * w + h and a second output z = relu(y) of another width than x.
class LoadState : public ::testing::Test {
 protected:
  static std::string recurrent_network() {
    namespace o = encode::onnx;
    return o::model(o::input("x", {1, 3}) + o::input("h", {1, 2}) + o::node("MatMul", "first", {"x", "w"}, "xw") +
                    o::node("Add", "plus", {"xw", "h"}, "hn") + o::node("Relu", "relu", {"hn"}, "z") +
                    o::weights("w", {3, 2}, {1, 2, 3, 4, 5, 6}) + o::output("z", {1, 2}) + o::output("hn", {1, 2}));
  }
  Model load(std::map<std::string, std::string> state) const { return load_model(path_, {.state = std::move(state)}); }
  std::string error(const std::map<std::string, std::string>& state) const {
    return encode::thrown_message([&] { load(state); });
  }

  encode::Folder folder_;
  std::filesystem::path path_ = folder_.write("net.onnx", recurrent_network());
};

TEST_F(LoadState, FindsTheNumbersOfOutputsAndInputs) {
  const Model model = load({{"hn", "h"}});
  EXPECT_THAT(model.state, ElementsAre(StateBinding{1, 1}));
  EXPECT_FALSE(is_state_input(model, 0));
  EXPECT_TRUE(is_state_input(model, 1));
  EXPECT_EQ(model.clone().state, model.state);
}

TEST_F(LoadState, IsPartOfTheFingerprint) {
  EXPECT_NE(load({}).fingerprint, load({{"hn", "h"}}).fingerprint);
  EXPECT_NE(load({{"z", "h"}}).fingerprint, load({{"hn", "h"}}).fingerprint);
}

TEST_F(LoadState, NamesUnknownOutputsAndInputs) {
  EXPECT_THAT(error({{"hm", "h"}}),
              AllOf(HasSubstr("model.state: the model has no output 'hm'"), HasSubstr("its outputs are z, hn")));
  EXPECT_THAT(error({{"hn", "state"}}),
              AllOf(HasSubstr("model.state: the model has no input 'state'"), HasSubstr("its inputs are x, h")));
}

TEST_F(LoadState, RefusesAShapeThatDoesNotMatch) {
  EXPECT_THAT(
      error({{"hn", "x"}}),
      HasSubstr("model.state: the output hn f32 [1,2] cannot feed the input x f32 [1,3]; expected the same type "
                "and shape"));
}

TEST_F(LoadState, RefusesTwoOutputsForOneInput) {
  EXPECT_THAT(error({{"hn", "h"}, {"z", "h"}}), HasSubstr("model.state: two outputs feed the input 'h'"));
}

}  // namespace
}  // namespace lpot
