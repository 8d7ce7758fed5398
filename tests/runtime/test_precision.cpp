#include "lpot/runtime/precision.h"

#include "lpot/core/error.h"
#include "lpot/runtime/executable.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(PrecisionsOf, ACpuWithAvx2) {
  EXPECT_THAT(precisions_of({"FP32", "INT8", "BIN"}), ElementsAre(InferencePrecision::F32));
}

TEST(PrecisionsOf, ACpuWithAvx512Bf16OrAmx) {
  EXPECT_THAT(precisions_of({"BF16", "WINOGRAD", "FP32", "INT8"}),
              ElementsAre(InferencePrecision::F32, InferencePrecision::Bf16));
}

TEST(PrecisionsOf, ACpuWithAmxFp16) {
  EXPECT_THAT(precisions_of({"BF16", "FP16", "FP32", "INT8"}),
              ElementsAre(InferencePrecision::F32, InferencePrecision::Bf16, InferencePrecision::F16));
}

TEST(PrecisionsOf, AnArmCpuWithF16) {
  EXPECT_THAT(precisions_of({"FP32", "FP16"}), ElementsAre(InferencePrecision::F32, InferencePrecision::F16));
}

TEST(DefaultPrecision, IsSupported) { EXPECT_THAT(supported_precisions(), Contains(default_precision())); }

TEST(ParsePrecision, NamesTheSupportedPrecisions) {
  EXPECT_EQ(parse_precision("f32", "--precision"), InferencePrecision::F32);
  EXPECT_EQ(parse_precision("auto", "--precision"), default_precision());
  EXPECT_THAT(message_of<ConfigError>([] { parse_precision("int4", "--precision"); }),
              AllOf(HasSubstr("--precision: got 'int4'"), HasSubstr("expected auto, f32, bf16 or f16")));
  if (usable_precision(InferencePrecision::F16) == InferencePrecision::F16) return;
  EXPECT_THAT(message_of<ConfigError>([] { parse_precision("f16", "--precision"); }),
              AllOf(HasSubstr("does not compute in f16"), HasSubstr("it supports f32")));
}

TEST(ResultSettings, NameThePrecision) {
  EXPECT_THAT(result_settings(InferencePrecision::Bf16), Contains(Pair("INFERENCE_PRECISION_HINT", "bf16")));
}

Model wide_product() {
  const auto x = parameter({4, 64}, "x");
  return as_model({product(x, 64, 64, "fc")}, {x});
}

// The largest difference from f32.
double error_in(InferencePrecision precision) {
  Model model = wide_product();
  const Tensor input = random_tensor({4, 64}, 3);
  const Tensor f32 = Executable(model).infer({input})[0];
  model.precision = precision;
  const Tensor found = Executable(model).infer({input})[0];
  double largest = 0;
  for (std::size_t i = 0; i < f32.size(); ++i)
    largest = std::max(largest, std::abs(double{f32.data<float>()[i]} - found.data<float>()[i]));
  return largest;
}

// Every CPU tests one of the two branches for each 16-bit precision.
TEST(ExecutablePrecision, IsUsedIfTheCpuSupportsItAndRefusedIfNot) {
  EXPECT_EQ(error_in(InferencePrecision::F32), 0);
  for (const InferencePrecision precision : {InferencePrecision::Bf16, InferencePrecision::F16}) {
    if (usable_precision(precision) == precision) {
      EXPECT_GT(error_in(precision), 0) << to_string(precision);
      EXPECT_LT(error_in(precision), 0.2) << to_string(precision);  // bf16 has 8 bits of mantissa; sums of 64 products
    } else {
      EXPECT_THAT(message_of<ModelError>([&] { error_in(precision); }), HasSubstr(std::string(to_string(precision))));
    }
  }
}

}  // namespace
}  // namespace lpot
