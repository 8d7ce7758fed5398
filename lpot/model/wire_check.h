// A quick look at a protobuf file before a front end parses it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace lpot {

// What is wrong with the file's outermost records ("record at byte 120 needs 4000 bytes, the file has 90 left"), or
// nothing. ONNX models and TensorFlow graphs are both a sequence of such records, so a cut file shows here.
std::optional<std::string> find_wire_damage(const std::filesystem::path&);

}  // namespace lpot
