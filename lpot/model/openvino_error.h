// OpenVINO's messages carry source lines and check expressions; people need the sentence.
#pragma once
#include <string>
#include <string_view>

namespace lpot {

// The message without "Exception from ...", "Check ... failed at ..." and line breaks, at most 400 letters.
std::string shorten_openvino_message(std::string_view);

}  // namespace lpot
