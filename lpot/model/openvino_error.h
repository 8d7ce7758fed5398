// OpenVINO's messages carry source lines and check expressions; people need the sentence.
#pragma once
#include <exception>
#include <string>
#include <string_view>

namespace lpot {

// The message without "Exception from ...", "Check ... failed at ..." and line breaks, at most 400 letters.
std::string shorten_openvino_message(std::string_view);

// Whether the error comes down to too little memory, be it in the words of a library.
bool is_out_of_memory(const std::exception&);

// Throws std::bad_alloc for such an error: it is the machine's fault and neither the model's nor the plan's, so no
// trial may be recorded as failed for it.
void rethrow_out_of_memory(const std::exception&);

}  // namespace lpot
