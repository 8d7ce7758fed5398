// The version of the runtime, for records and reports.
#pragma once
#include <string>

namespace lpot {

std::string openvino_version();  // "2026.4.1-..."

}  // namespace lpot
