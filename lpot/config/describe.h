// Prints a Config as lines of text, for --dry-run, reports and tests.
//
//   for (const std::string& line : describe(config, recipe_declarations())) std::cout << line << "\n";
//   // tuning.accuracy_criterion.relative = 0.01
//
#pragma once
#include <string>
#include <vector>

#include "lpot/config/config.h"

namespace lpot {

// Returns "key = value" for each key that is set or has a default, in the order of the documentation. Renamed keys
// appear under their oldest name, because the lines identify studies in existing stores.
std::vector<std::string> describe(const Config&, const RecipeDeclarations&);

}  // namespace lpot
