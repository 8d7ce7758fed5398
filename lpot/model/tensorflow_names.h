// Conversions for the TensorFlow front end that keep the names of convolutions.
//
// The front end's own conversions leave a convolution with a made-up name (Convolution_66) that differs on every load:
// only the transpose behind it carries the node's name, and later passes move that away. These say the same graph and
// give the name to the kernel.
#pragma once
#include <openvino/core/extension.hpp>

#include <memory>
#include <vector>

namespace lpot {

std::vector<std::shared_ptr<ov::Extension>> tensorflow_name_extensions();

}  // namespace lpot
