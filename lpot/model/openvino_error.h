// Cleans up OpenVINO's error messages, which contain source positions and check expressions.
#pragma once
#include <exception>
#include <string>
#include <string_view>

namespace lpot {

// The message without "Exception from ...", "Check ... failed at ..." and line breaks, at most 400 letters. The last
// line if nothing else remains.
std::string shorten_openvino_message(std::string_view);

// Whether the cause is a lack of memory. Libraries report it with different exceptions and texts.
bool is_out_of_memory(const std::exception&);

// Throws std::bad_alloc for such an error. The machine causes it and not the model or the plan, so no trial may be
// recorded as failed.
void rethrow_out_of_memory(const std::exception&);

}  // namespace lpot
