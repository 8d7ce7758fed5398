#include <gmock/gmock.h>

#include <algorithm>

#include "lpot/model/load.h"
#include "lpot/quantize/graph/quantizable_ops.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class UnquantizableKeys : public ::testing::Test {
 protected:
  // The keys that remain of a configuration with this key.
  std::vector<std::pair<std::string, OpRestriction>> left(const std::string& key, Precision precision) {
    QuantizationConfig config;
    OpRestriction restriction;
    restriction.activation.precisions = restriction.weight.precisions = {precision};
    restriction.place = {"net.yaml", 9};
    config.op_wise = {{key, restriction}};
    const auto result = without_unquantizable_keys(config, quantizable_ops(model_), named_ops(model_));
    warnings_ = result.warnings;
    return result.value.op_wise;
  }

  const Model model_ = load_model(LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx");
  std::vector<std::string> warnings_;
};

TEST_F(UnquantizableKeys, RequestingFp32AreRemovedWithoutAWarning) {
  const auto ops = list_ops(model_);
  const auto other = std::find_if(ops.begin(), ops.end(), [](const OpInfo& op) { return op.type == "Relu"; });
  ASSERT_NE(other, ops.end());
  EXPECT_THAT(left(other->name, Precision::Fp32), IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(UnquantizableKeys, RequestingInt8ProduceAWarning) {
  const auto ops = list_ops(model_);
  const auto other = std::find_if(ops.begin(), ops.end(), [](const OpInfo& op) { return op.type == "Relu"; });
  ASSERT_NE(other, ops.end());
  EXPECT_THAT(left(other->name, Precision::Int8), IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("net.yaml:9"), HasSubstr(other->name), HasSubstr("Relu"))));
}

TEST_F(UnquantizableKeys, AreFoundInTheFileIfTheGraphFoldedTheOps) {
  const auto ops = list_ops(model_);
  ASSERT_TRUE(std::none_of(ops.begin(), ops.end(), [](const OpInfo& op) { return op.type == "BatchNormInference"; }));
  EXPECT_THAT(left(".*BatchNormalization.*|.*bn.*", Precision::Fp32), IsEmpty()) << "folded into the convolutions";
}

TEST_F(UnquantizableKeys, MatchingQuantizableOpsOrNoOpsRemain) {
  EXPECT_THAT(left("/fc/Gemm", Precision::Fp32), SizeIs(1));
  EXPECT_THAT(left("Convolution", Precision::Fp32), SizeIs(1));
  EXPECT_THAT(left("nowhere", Precision::Fp32), SizeIs(1));
}

}  // namespace
}  // namespace lpot
