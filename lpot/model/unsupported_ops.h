// Explains which operations of a model OpenVINO does not support, and how to cut the model to avoid them.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "lpot/model/load.h"
#include "lpot/model/model_files.h"

namespace lpot {

// The types of the ops that a partial conversion left unconverted.
std::set<std::string> unsupported_ops(const ov::Model&);

// The explanation of a front end's message, or "" if the message names no op. It proposes a cut, or input shapes:
//   OpenVINO does not support these operations: DecodeWav, Mfcc. Cut the model after them: set "inputs: [Mfcc]" and
//   "input_shapes: {Mfcc: [...]}" under "model:"
std::string explain_unsupported_ops(const ModelFiles&, std::string_view message, const LoadOptions&);

}  // namespace lpot
