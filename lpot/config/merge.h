// Merges several YAML documents into one.
#pragma once
#include <string>

#include "lpot/config/node.h"

namespace lpot::yaml {

// Merges `later` into `base`: maps are merged key by key, other values are replaced. If `later` names other components,
// another strategy or another criterion, it replaces the earlier one. Both documents must be normalized.
Node merge(Node base, const Node& later);

// Parses "a.b.c=value", where the value is YAML, to the document {a: {b: {c: value}}}. Throws ConfigError.
Node parse_override(const std::string&);

}  // namespace lpot::yaml
