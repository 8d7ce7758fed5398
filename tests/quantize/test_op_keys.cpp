#include "lpot/quantize/op_keys.h"

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<OpInfo> kOps{{"layer1.0.conv1", "Convolution"},
                               {"layer1.0.conv2", "GroupConvolution"},
                               {"layer2.0.conv1", "Convolution"},
                               {"linear", "MatMul"}};

std::vector<std::string> names_for(const std::string& key) {
  std::vector<std::string> warnings, names;
  for (const std::size_t i : ops_for_key(kOps, key, {"net.yaml", 3}, warnings)) names.push_back(kOps[i].name);
  return names;
}

TEST(OpsForKey, ATypeMayBeCalledAsFrameworksCallIt) {
  EXPECT_THAT(names_for("Conv"), ElementsAre("layer1.0.conv1", "layer1.0.conv2", "layer2.0.conv1"));
  EXPECT_THAT(names_for("DepthwiseConv2dNative"), ElementsAre("layer1.0.conv2"));
  EXPECT_THAT(names_for("Gemm"), ElementsAre("linear"));
}

TEST(OpsForKey, SeveralNearNamesAreListedAlsoThoseThatBeginAlike) {
  try {
    names_for("laeyr1");
    FAIL() << "matches nothing";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("net.yaml:3"), HasSubstr("'layer1.0.conv1'"),
                                    HasSubstr("'layer1.0.conv2'"), HasSubstr("did you mean")));
  }
}

class KeysOfOtherOps : public ::testing::Test {
 protected:
  // What is left of a config with this key.
  std::vector<std::pair<std::string, OpRestriction>> left(const std::string& key, Precision precision) {
    QuantizationConfig config;
    OpRestriction restriction;
    restriction.activation.precisions = restriction.weight.precisions = {precision};
    restriction.place = {"net.yaml", 9};
    config.op_wise = {{key, restriction}};
    return without_keys_of_other_ops(config, model_, quantizable_ops(model_), warnings_).op_wise;
  }

  const Model model_ = load_model(LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx");
  std::vector<std::string> warnings_;
};

TEST_F(KeysOfOtherOps, FromAFileThatNamesAPoolingAreGrantedWithoutAWord) {
  const auto ops = list_ops(model_);
  const auto other = std::find_if(ops.begin(), ops.end(), [](const OpInfo& op) { return op.type == "Relu"; });
  ASSERT_NE(other, ops.end());
  EXPECT_THAT(left(other->name, Precision::Fp32), IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(KeysOfOtherOps, ThatWantInt8AreToldThatThereIsNone) {
  const auto ops = list_ops(model_);
  const auto other = std::find_if(ops.begin(), ops.end(), [](const OpInfo& op) { return op.type == "Relu"; });
  ASSERT_NE(other, ops.end());
  EXPECT_THAT(left(other->name, Precision::Int8), IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("net.yaml:9"), HasSubstr(other->name), HasSubstr("Relu"))));
}

TEST_F(KeysOfOtherOps, AreFoundInTheFileWhereTheGraphLostThem) {
  const auto ops = list_ops(model_);
  ASSERT_TRUE(std::none_of(ops.begin(), ops.end(), [](const OpInfo& op) { return op.type == "BatchNormInference"; }));
  EXPECT_THAT(left(".*BatchNormalization.*|.*bn.*", Precision::Fp32), IsEmpty()) << "folded into the convolutions";
}

TEST_F(KeysOfOtherOps, OfQuantizableOpsAndOfNothingStay) {
  EXPECT_THAT(left("/fc/Gemm", Precision::Fp32), SizeIs(1));
  EXPECT_THAT(left("Convolution", Precision::Fp32), SizeIs(1));
  EXPECT_THAT(left("nowhere", Precision::Fp32), SizeIs(1));
}

}  // namespace
}  // namespace lpot
