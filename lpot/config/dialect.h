// The iLiT 1.0 dialect, older places of keys and shorthands brought into the one form that is read: LPOT 1.6's, in
// full.
#pragma once
#include "lpot/config/keys.h"
#include "lpot/config/node.h"

namespace lpot::yaml {

struct Document {
  Node tree;
  bool ilit = false;  // in the iLiT dialect, where a model has no name
};

// Older names of keys become the present ones. Throws ConfigError when the document is no map, or when two places of
// one key contradict each other.
Document normalise(Node document, const KeyTable&);

// Whether the map at that path names components: {CIFAR10: {root: .}}, {topk: 1}.
bool names_components(const Path&);

}  // namespace lpot::yaml
