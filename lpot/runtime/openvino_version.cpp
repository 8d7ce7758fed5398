#include "lpot/runtime/openvino_version.h"

#include <openvino/core/version.hpp>

namespace lpot {

std::string openvino_version() { return ov::get_openvino_version().buildNumber; }

}  // namespace lpot
