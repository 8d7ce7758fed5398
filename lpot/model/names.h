// Names for the ops that a front end left without one.
#pragma once
#include <memory>

namespace ov {
class Model;
}

namespace lpot {

// Gives every op without a name of its own one that is the same on every load: its type and its number among the
// unnamed ops of that type in topological order ("Convolution@2"). Names that occur twice get a number too.
void name_ops(const std::shared_ptr<ov::Model>&);

}  // namespace lpot
