// TensorFlow graphs are cut before they are converted: behind the cut, ops that cannot be converted do not matter, and
// tensors still have the layout that their names stand for.
#pragma once
#include <filesystem>
#include <memory>

#include "lpot/model/load.h"

namespace ov {
class Model;
}

namespace lpot {

// The graph between options.inputs and options.outputs, converted. A cut input's type and shape come from its node,
// from converting what lies before it, or from options.input_shapes. Throws ModelError.
std::shared_ptr<ov::Model> convert_tensorflow(const std::filesystem::path&, const LoadOptions& options);

}  // namespace lpot
