#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/core/error.h"
#include "tests/config/tables.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ParseComponent, FillsInDefaults) {
  EXPECT_EQ(parse_component("topk: 5", kMetrics).parameters.integer("k"), 5);
  EXPECT_EQ(parse_component("topk: {}", kMetrics).parameters.integer("k"), 1);
  EXPECT_EQ(parse_component("Normalize: {mean: [0.5]}", kTransforms).parameters.numbers("std"),
            std::vector<double>{1.0});
}

TEST(ParseComponent, RejectsUnknownNamesAndParameters) {
  EXPECT_THAT(message_of<ConfigError>([] { parse_component("top: 1", kMetrics); }),
              AllOf(HasSubstr("'top: 1'"), HasSubstr("did you mean 'topk'")));
  EXPECT_THAT(message_of<ConfigError>([] { parse_component("topk: {n: 1}", kMetrics); }), HasSubstr("topk.n"));
  EXPECT_THAT(message_of<ConfigError>([] { parse_component("topk", kMetrics); }), HasSubstr("expected the name"));
  EXPECT_THAT(message_of<ConfigError>([] { parse_component("", kMetrics); }), HasSubstr("expected the name"));
}

TEST(Config, BuiltInCodeUsesTheBasicStrategy) { EXPECT_EQ(Config{}.tuning.strategy.name, "basic"); }

}  // namespace
}  // namespace lpot
