// A Config as lines, for --dry-run, reports and tests.
//
//   for (const std::string& line : describe(config)) ...   // tuning.accuracy_criterion.relative = 0.01
//
#pragma once
#include <string>
#include <vector>

#include "lpot/config/config.h"

namespace lpot {

// "key = value" for each key that has a value, given or by default, in the order of the documentation.
std::vector<std::string> describe(const Config&);

}  // namespace lpot
