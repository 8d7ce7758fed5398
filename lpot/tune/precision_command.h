// Evaluates models with the user's program, in the precision of each model.
//
//   PrecisionCommandEvaluator evaluator("python3 my_eval.py {model} --precision {precision}", true);
//
#pragma once
#include <map>
#include <memory>
#include <string>

#include "lpot/core/scheme.h"
#include "lpot/evaluate/evaluator.h"

namespace lpot {

// Replaces `{precision}` in the command by the precision of the model (f32, bf16 or f16; the fp32 model is f32), and
// runs it as CommandEvaluator does. Warns once if the command has no such placeholder and the runtime's default is not
// f32: the program then probably runs the models in another precision than the plan's.
class PrecisionCommandEvaluator : public Evaluator {
 public:
  PrecisionCommandEvaluator(std::string command, bool passes_source);

  Score baseline(const Model& fp32, const Observer&) override;
  Score score(const Model&, const Observer&) override;
  bool is_repeatable() const override { return false; }
  std::string metric() const override { return in(InferencePrecision::F32).metric(); }
  std::string identity() const override { return "command " + command_; }

 private:
  CommandEvaluator& in(InferencePrecision) const;

  std::string command_;
  std::map<InferencePrecision, std::unique_ptr<CommandEvaluator>> evaluators_;  // of all precisions
};

}  // namespace lpot
