// The reference of the configuration, from the tables that check it.
#pragma once
#include <string>

namespace lpot {

// Markdown: every key, data set, transform, postprocess, metric and strategy, each supported, or refused with the
// reason.
std::string reference_markdown();

}  // namespace lpot
