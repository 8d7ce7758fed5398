// Finds keys and values that a configuration may contain but that lpot does not support.
#pragma once
#include <string>
#include <vector>

#include "lpot/config/keys.h"
#include "lpot/config/node.h"

namespace lpot::yaml {

// Returns warnings about ignored keys of a normalized document. Throws ConfigError for unsupported values that would
// change the results.
std::vector<std::string> check_unsupported_keys(const Node& document, const KeyTable&);

}  // namespace lpot::yaml
