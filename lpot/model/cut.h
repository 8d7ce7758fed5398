// Cuts a graph that is already converted.
//
// A tensor that is named as an input becomes a Parameter with the tensor's type and with the given shape, or the
// tensor's shape if none is given. All consumers of the tensor read the Parameter. Ops that no output depends on are
// removed. Inputs and outputs that already exist stay as they are, so a second cut with the same names has no effect.
#pragma once
#include <memory>

#include "lpot/model/load.h"

namespace ov {
class Model;
}

namespace lpot {

// The part between options.inputs and options.outputs, inputs in their order. Throws ModelError.
std::shared_ptr<ov::Model> cut_graph(const std::shared_ptr<ov::Model>&, const LoadOptions& options);

// Sets the input shapes of options.input_shapes. Throws ModelError for a name that is not an input and for a shape that
// the model does not accept.
void reshape_inputs(const std::shared_ptr<ov::Model>&, const LoadOptions& options);

// The message for a cut input whose shape is unknown.
std::string unknown_shape_message(const std::string& tensor);

// The message for an output that depends on an input that is not in model.inputs.
std::string missing_input_message(const std::string& output, const std::string& input,
                                  const std::vector<std::string>& inputs);

}  // namespace lpot
