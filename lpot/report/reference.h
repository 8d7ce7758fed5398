// The configuration reference, generated from the tables that validate configurations.
#pragma once
#include <string>

#include "lpot/config/load.h"

namespace lpot {

// Markdown with every key, data set, transform, postprocess, metric and strategy, and whether it is supported or why it
// is refused.
std::string reference_markdown(const ComponentTables&);

}  // namespace lpot
