#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::HasSubstr;

TEST(CallerEvaluator, MarksTheFp32ModelAndReturnsTheAccuracy) {
  const Model fp32, int8;
  CallerEvaluator evaluator("eval_func", [&](const EvaluationRequest& request) {
    EXPECT_EQ(&request.model, request.is_fp32 ? &fp32 : &int8);
    return request.is_fp32 ? 0.9 : 0.8;
  });
  EXPECT_EQ(evaluator.baseline(fp32, {}).accuracy(), 0.9);
  EXPECT_EQ(evaluator.score(int8, {}).accuracy(), 0.8);
  EXPECT_FALSE(evaluator.is_repeatable());
}

TEST(CallerEvaluator, ThrowsCallerErrorForANonFiniteResult) {
  CallerEvaluator evaluator("eval_func", [](const EvaluationRequest&) { return std::nan(""); });
  EXPECT_THAT(message_of<CallerError>([&] { evaluator.score(Model{}, {}); }), HasSubstr("[eval_func] returned"));
}

TEST(CallerEvaluator, StopsBeforeTheCall) {
  CallerEvaluator evaluator("eval_func", [](const EvaluationRequest&) { return 1.0; });
  Observer observer;
  observer.should_stop = [] { return true; };
  EXPECT_THROW(evaluator.score(Model{}, observer), Interrupted);
}

}  // namespace
}  // namespace lpot
