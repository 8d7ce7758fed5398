// Conversions for the TensorFlow front end that keep the names of convolutions.
//
// The front end's own conversions give a convolution a generated name (Convolution_66) that differs on every load. Only
// the transpose after it gets the name of the node, and later passes remove it. The conversions in this file build the
// same graph, but give the name to the convolution.
#pragma once
#include <openvino/core/extension.hpp>

#include <memory>
#include <vector>

namespace lpot {

std::vector<std::shared_ptr<ov::Extension>> tensorflow_name_extensions();

}  // namespace lpot
