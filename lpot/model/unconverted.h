// Ops that a front end cannot convert, told by name with the cut that would avoid them.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/model/model_files.h"

namespace lpot {

// The types of the ops that are left unconverted in a graph.
std::set<std::string> unconverted_ops(const ov::Model&);

// "ops that cannot be converted: DecodeWav, Mfcc; cut behind them with model.inputs: Mfcc (and model.input_shapes)"
// from a front end's message; "" when the message names no op.
std::string explain_unconverted(const ModelFiles&, std::string_view message, const std::vector<std::string>& outputs);

}  // namespace lpot
