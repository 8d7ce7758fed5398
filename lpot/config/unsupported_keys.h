// Keys and values that a config may hold but that this tool does not carry out at present.
#pragma once
#include <string>
#include <vector>

#include "lpot/config/keys.h"
#include "lpot/config/node.h"

namespace lpot::yaml {

// Warnings about what is ignored in a normalised document. Throws ConfigError where ignoring would change the results.
std::vector<std::string> check_pending(const Node& document, const KeyTable&);

}  // namespace lpot::yaml
