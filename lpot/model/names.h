// Names for the ops that a front end left without one of the source's.
#pragma once
#include <memory>
#include <set>
#include <string>

#include "lpot/model/model_files.h"

namespace lpot {

// The names in the files that look as if OpenVINO had made them up ("MatMul_12"). The files are whole.
std::set<std::string> source_names(const ModelFiles&);

// TensorFlow Lite's ops have no names but their numbers: gives them those of their outputs.
void name_by_tensors(const std::shared_ptr<ov::Model>&);

// Gives every op whose name OpenVINO made up one that is the same on every load: its type and its number among the
// unnamed ops of that type in topological order ("Convolution@2"). Names that occur twice get a number too.
void name_ops(const std::shared_ptr<ov::Model>&, const std::set<std::string>& source_names);

}  // namespace lpot
