#include "lpot/plan/op_keys.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<OpInfo> kOpInfos{{"layer1.0.conv1", "Convolution"},
                                   {"layer1.0.conv2", "GroupConvolution"},
                                   {"layer2.0.conv1", "Convolution"},
                                   {"linear", "MatMul"}};

std::vector<std::string> names_for(const std::string& key) {
  std::vector<std::string> names;
  for (const std::size_t i : ops_for_key(kOpInfos, key, {"net.yaml", 3}).value) names.push_back(kOpInfos[i].name);
  return names;
}

TEST(OpsForKey, AcceptsTypeNamesOfFrameworks) {
  EXPECT_THAT(names_for("Conv"), ElementsAre("layer1.0.conv1", "layer1.0.conv2", "layer2.0.conv1"));
  EXPECT_THAT(names_for("DepthwiseConv2dNative"), ElementsAre("layer1.0.conv2"));
  EXPECT_THAT(names_for("Gemm"), ElementsAre("linear"));
}

TEST(OpsForKey, SuggestsSeveralSimilarNames) {
  try {
    names_for("laeyr1");
    FAIL() << "expected an error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("net.yaml:3"), HasSubstr("'layer1.0.conv1'"),
                                    HasSubstr("'layer1.0.conv2'"), HasSubstr("did you mean")));
  }
}

}  // namespace
}  // namespace lpot
