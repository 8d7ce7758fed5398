// A Config as lines, for --dry-run, reports and tests.
//
//   for (const std::string& line : describe(config, recipe_declarations())) std::cout << line << "\n";
//   // tuning.accuracy_criterion.relative = 0.01
//
#pragma once
#include <string>
#include <vector>

#include "lpot/config/config.h"

namespace lpot {

// "key = value" for each key that has a value, given or by default, in the order of the documentation. A key that was
// renamed has its oldest name: the lines identify studies.
std::vector<std::string> describe(const Config&, const RecipeDeclarations&);

}  // namespace lpot
