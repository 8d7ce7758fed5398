// Converts iLiT 1.0 files, older key names and shorthands to the full LPOT 1.6 format, which is the only format that
// read_config reads.
#pragma once
#include "lpot/config/keys.h"
#include "lpot/config/node.h"

namespace lpot::yaml {

struct Document {
  Node tree;
  bool ilit = false;  // an iLiT file, in which a model has no name
};

// Throws ConfigError if the document is not a map, or if a key is given under two names with different values.
Document normalize(Node document, const KeyTable&);

// Whether the keys of the map at that path are component names: {CIFAR10: {root: .}}, {topk: 1}.
bool names_components(const Path&);

}  // namespace lpot::yaml
