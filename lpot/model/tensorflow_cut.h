// Cuts TensorFlow graphs before the conversion. Unsupported ops outside the cut then do not matter, and the tensors at
// the cut still have their TensorFlow layout.
#pragma once
#include <filesystem>
#include <memory>

#include "lpot/model/load.h"

namespace ov {
class Model;
}

namespace lpot {

// Converts the graph between options.inputs and options.outputs. The type and shape of a cut input come from its node,
// from a conversion of the ops before it, or from options.input_shapes. Throws ModelError.
std::shared_ptr<ov::Model> convert_tensorflow(const std::filesystem::path&, const LoadOptions& options);

}  // namespace lpot
