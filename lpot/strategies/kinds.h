// The strategies. Each is in its own file; strategies.cpp lists them.
//
// A new one needs:
// - its file NAME.cpp in this folder, with make_NAME_strategy, which is declared here
// - its row in the table of strategies.cpp
// - its test tests/strategies/test_NAME.cpp; test_every_strategy.cpp tests all rows of the table
// - its line in docs/strategies.md, and `build/bin/lpot reference > docs/reference.md`
#pragma once
#include <memory>

#include "lpot/core/component.h"
#include "lpot/strategies/strategy.h"

namespace lpot {

std::unique_ptr<Strategy> make_auto_strategy();
std::unique_ptr<Strategy> make_basic_strategy();
std::unique_ptr<Strategy> make_bayesian_strategy();
std::unique_ptr<Strategy> make_exhaustive_strategy();
std::unique_ptr<Strategy> make_mse_strategy();
std::unique_ptr<Strategy> make_random_strategy();
std::unique_ptr<Strategy> make_tpe_strategy(const Component&);

}  // namespace lpot
