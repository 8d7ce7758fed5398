#include "lpot/tune/precision_command.h"

#include "lpot/runtime/precision.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

// 32 or 16: the bits of the precision that the program gets.
constexpr const char* kPrintsBits = ": {model}; case {precision} in f32) echo 32;; bf16|f16) echo 16;; esac";

Model model_in(InferencePrecision precision) {
  const auto x = parameter({1, 4}, "x");
  return with_precision(as_model({std::make_shared<op::Relu>(x)}, {x}), precision);
}

// The number of warnings about the precision while the baseline is evaluated.
std::size_t warnings_of(const std::string& command) {
  std::size_t count = 0;
  Observer observer;
  observer.on_log = [&](LogLevel level, std::string_view text) {
    count += level == LogLevel::Warning && text.find("{precision}") != std::string_view::npos;
  };
  PrecisionCommandEvaluator(command, false).baseline(model_in(InferencePrecision::F32), observer);
  return count;
}

TEST(PrecisionCommandEvaluator, PassesThePrecisionOfTheModel) {
  PrecisionCommandEvaluator evaluator(kPrintsBits, false);
  EXPECT_EQ(evaluator.baseline(model_in(InferencePrecision::F32), {}).accuracy(), 32);
  EXPECT_EQ(evaluator.score(model_in(InferencePrecision::F32), {}).accuracy(), 32);
  // A CPU without bf16 units runs the model in f32.
  const bool has_bf16 = usable_precision(InferencePrecision::Bf16) == InferencePrecision::Bf16;
  EXPECT_EQ(evaluator.score(model_in(InferencePrecision::Bf16), {}).accuracy(), has_bf16 ? 16 : 32);
}

TEST(PrecisionCommandEvaluator, WarnsAboutACommandThatDoesNotGetThePrecision) {
  EXPECT_EQ(warnings_of("echo 1; : {model}"), 0u + (default_precision() != InferencePrecision::F32))
      << "no placeholder";
  EXPECT_EQ(warnings_of(kPrintsBits), 0u);
}

}  // namespace
}  // namespace lpot
