#include <gtest/gtest.h>

#include "lpot/core/cpu.h"
#include "lpot/core/scheme.h"
#include "lpot/core/text.h"

namespace lpot {
namespace {

TEST(Nearest, FindsTheWordWithOneWrongLetter) {
  EXPECT_EQ(nearest("relativ", {"absolute", "relative"}), "relative");
  EXPECT_EQ(nearest("cifar10", {"CIFAR100", "CIFAR10"}), "CIFAR10");
}

TEST(Nearest, ReturnsNothingIfNoCandidateIsSimilar) { EXPECT_EQ(nearest("banana", {"absolute", "relative"}), ""); }

TEST(DidYouMeanOneOf, ListsTheThreeMostSimilarCandidates) {
  EXPECT_EQ(did_you_mean_one_of("conv", {"linear", "conv1.0", "conv1", "conv2", "conv3"}),
            " (did you mean 'conv1', 'conv2' or 'conv3'?)");
  EXPECT_EQ(did_you_mean_one_of("laeyr1", {"layer1.0.conv1", "linear"}), " (did you mean 'layer1.0.conv1'?)");
  EXPECT_EQ(did_you_mean_one_of("banana", {"absolute", "relative"}), "");
}

TEST(Scheme, ParsesEveryNameBack) {
  EXPECT_EQ(parse<Algorithm>(to_string(Algorithm::Percentile)), Algorithm::Percentile);
  EXPECT_EQ(parse<Precision>(to_string(Precision::Bf16)), Precision::Bf16);
  EXPECT_EQ(parse<Granularity>("per_channel"), Granularity::PerChannel);
  EXPECT_EQ(parse<Symmetry>("symmetric"), std::nullopt);
}

TEST(Cpu, NeedsHalfRangeWithoutVnniAndAmx) {
  EXPECT_TRUE((Cpu{.name = "", .avx2 = true}.needs_half_range()));
  EXPECT_FALSE((Cpu{.name = "", .avx2 = true, .vnni = true}.needs_half_range()));
  EXPECT_FALSE((Cpu{.name = "", .avx512 = true, .amx = true}.needs_half_range()));
  EXPECT_EQ((Cpu{.name = "", .avx2 = true, .avx512 = true, .vnni = true}.cpu_class()), "avx512_vnni");
}

TEST(Cpu, IsLimitedByALowerInstructionSet) {
  const auto limited = [](std::string_view isa) {
    Cpu cpu{.name = "", .avx2 = true, .avx512 = true, .vnni = true, .amx = true};
    limit_to_isa(cpu, isa);
    return cpu.cpu_class();
  };
  EXPECT_EQ(limited(""), "amx");
  EXPECT_EQ(limited("avx512_core_vnni"), "avx512_vnni");
  EXPECT_EQ(limited("avx512_core"), "avx512");
  EXPECT_EQ(limited("avx2_vnni"), "avx2_vnni");
  EXPECT_EQ(limited("avx2"), "avx2");
  EXPECT_EQ(limited("sse41"), "generic");
}

}  // namespace
}  // namespace lpot
