// The reference of the configuration, from the tables that check it.
#pragma once
#include <string>

#include "lpot/config/load.h"

namespace lpot {

// Markdown: every key, data set, transform, postprocess, metric and strategy, each supported, or refused with the
// reason.
std::string reference_markdown(const ComponentTables&);

}  // namespace lpot
