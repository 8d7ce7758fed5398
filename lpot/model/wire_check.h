// A quick look at a protobuf file beside the front end that parses it.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lpot {

// What is wrong with the file's outermost records ("record at byte 120 needs 4000 bytes, the file has 90 left"), or
// nothing. ONNX models and TensorFlow graphs are both a sequence of such records, so a cut file shows here.
std::optional<std::string> find_wire_damage(const std::filesystem::path&);

// Every text that lies at this path of field numbers: {7, 1, 3} are the names of an ONNX file's nodes. The file is
// whole.
std::set<std::string> read_wire_texts(const std::filesystem::path&, const std::vector<int>& fields);

}  // namespace lpot
