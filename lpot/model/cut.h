// Cuts a graph that is already converted.
//
// A named input that is not one of the graph's becomes a Parameter with the tensor's type, and the shape that is given
// for it or the tensor's own; everything that read the tensor reads the Parameter. What no output needs any more is
// gone. Names that already are the graph's inputs and outputs stay as they are, so cutting twice is cutting once.
#pragma once
#include <memory>

#include "lpot/model/load.h"

namespace ov {
class Model;
}

namespace lpot {

// The part between options.inputs and options.outputs, inputs in their order. Throws ModelError.
std::shared_ptr<ov::Model> cut_graph(const std::shared_ptr<ov::Model>&, const LoadOptions& options);

// Gives inputs the shapes of options.input_shapes. Throws ModelError for a name that is no input, a shape that cannot
// be.
void reshape_inputs(const std::shared_ptr<ov::Model>&, const LoadOptions& options);

// The message that asks for the shape of a cut input.
std::string ask_for_shape(const std::string& tensor);

}  // namespace lpot
