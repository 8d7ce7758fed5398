// Parses YAML text to Nodes. YAML features that configurations do not need (several documents, lists as keys) are
// errors.
#pragma once
#include <string>

#include "lpot/config/node.h"

namespace lpot::yaml {

// Returns the document in `text`, or a null node if there is none. Places and messages use `name` as the file name.
// Throws ConfigError for syntax errors, duplicate keys, nesting deeper than 64 and too many values after expanding
// aliases.
Node parse_yaml(const std::string& text, const std::string& name);

// Parses text that is not in a file (an override, a default). Places have no line.
Node parse_value(const std::string& text, const std::string& name);

// Reads a file. Throws ConfigError if it does not exist, is a folder, cannot be read or is larger than 16 MiB.
std::string read_text(const std::string& file);

}  // namespace lpot::yaml
