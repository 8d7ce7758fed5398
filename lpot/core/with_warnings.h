// A result, with warnings for the user.
//
//   WithWarnings<PlanChoices> allowed =
//       allowed_choices(ops, config.quantization, recipe_declarations(), half_range);
//   for (const std::string& warning : allowed.warnings) observer.log(LogLevel::Warning, warning);
//
#pragma once
#include <string>
#include <vector>

namespace lpot {

template <typename Value>
struct WithWarnings {
  Value value;
  std::vector<std::string> warnings = {};
};

}  // namespace lpot
