// Converts ONNX models that compute in 16-bit floats to f32, as model/half_precision.h does with OpenVINO's graph.
#pragma once
#include <onnx/onnx_pb.h>

#include "lpot/model/model.h"

namespace lpot {

// Inputs and outputs of the model keep their types and get a Cast. Other 16-bit tensors become f32; external values are
// read from their files. Casts that OpenVINO's graph does not have any more are removed. `source`: the model that was
// loaded from the file. A file that only stores weights in 16 bits does not change.
void convert_to_single_precision(const Model& source, onnx::ModelProto&);

}  // namespace lpot
