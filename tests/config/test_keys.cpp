#include <gtest/gtest.h>

#include <algorithm>

#include "lpot/config/keys.h"
#include "lpot/config/node.h"
#include "tests/support/recipes.h"

namespace lpot {
namespace {

const KeyInfo* find_key(const std::string& path) {
  static const std::vector<KeyInfo> keys = config_keys(kDeclaredRecipes);
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const KeyInfo& key) { return key.path == path; });
  return found == keys.end() ? nullptr : &*found;
}

TEST(ConfigKeys, ListExpectedValuesAndDefaults) {
  const KeyInfo* relative = find_key("tuning.accuracy_criterion.relative");
  ASSERT_TRUE(relative);
  EXPECT_EQ(relative->expected, "a number in 0..1");
  EXPECT_EQ(find_key("tuning.exit_policy.max_trials")->default_value, "100");
  EXPECT_EQ(find_key("device")->expected, "one of cpu, gpu");
  EXPECT_TRUE(find_key("quantization.op_wise.*.weight.dtype"));
  EXPECT_TRUE(find_key("evaluation.performance.dataloader.batch_size"));
}

TEST(ConfigKeys, IncludeTheKeysOfRecipes) {
  EXPECT_EQ(find_key("quantization.recipes.smooth_quant_alpha")->expected, "a number in 0..1");
  EXPECT_EQ(find_key("quantization.recipes.scale_propagation_concat")->default_value, "true");
  EXPECT_EQ(find_key("quantization.advance.bias_correction")->expected, "weight_empirical");
  EXPECT_EQ(find_key("quantization.recipes.int8_embeddings")->summary, "a flag (older name: int8_tables)");
  EXPECT_FALSE(find_key("quantization.recipes.int8_tables"));
  EXPECT_FALSE(find_key("quantization.recipes."));
}

TEST(ConfigKeys, HaveUniquePathsAndSummaries) {
  std::vector<std::string> paths;
  for (const KeyInfo& key : config_keys(kDeclaredRecipes)) {
    paths.push_back(key.path);
    EXPECT_FALSE(key.summary.empty()) << key.path;
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
}

TEST(Matches, TreatsStarsAsWildcards) {
  using yaml::matches;
  EXPECT_TRUE(matches({"quantization", "op_wise", "a.b", "weight"}, "quantization.op_wise.*.weight"));
  EXPECT_TRUE(matches({"evaluation", "accuracy", "dataloader", "dataset"}, "**.dataloader.dataset"));
  EXPECT_FALSE(matches({"dataset"}, "**.dataloader.dataset"));
  EXPECT_FALSE(matches({"tuning", "metric", "topk"}, "tuning.metric"));
}

}  // namespace
}  // namespace lpot
