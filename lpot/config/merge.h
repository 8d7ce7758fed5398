// Several documents into one.
#pragma once
#include <string>

#include "lpot/config/node.h"

namespace lpot::yaml {

// `later` over `base`: maps merge key by key, all else is replaced. A map of components, a strategy or a criterion that
// names another one takes the place of the earlier one. Both are normalised.
Node merge(Node base, const Node& later);

// "a.b.c=value", the value in YAML, as the document {a: {b: {c: value}}}. Throws ConfigError.
Node parse_override(const std::string&);

}  // namespace lpot::yaml
