// YAML text into Nodes. What YAML allows and configs have no use for (several documents, lists as keys) is an error.
#pragma once
#include <string>

#include "lpot/config/node.h"

namespace lpot::yaml {

// The one document in `text`; a null node when there is none. `name` stands for the file in places and messages.
// Throws ConfigError for syntax errors, keys written twice, nesting deeper than 64 and aliases that unfold too far.
Node parse_yaml(const std::string& text, const std::string& name);

// The same for text that is not in a file (an override, a default): places have no line.
Node parse_value(const std::string& text, const std::string& name);

// The text of a file. Throws ConfigError when it is missing, a folder, not text or larger than a config can be.
std::string read_text(const std::string& file);

}  // namespace lpot::yaml
