// A quick look at a protobuf file beside the front end that parses it.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lpot {

// What is wrong with the file's outermost fields ("truncated: the field at byte 120 needs 4000 bytes, but only 90 are
// left"), or nothing. ONNX models and TensorFlow graphs are both a sequence of such fields, so a cut file shows
// here. Throws DataError for a file that cannot be opened.
std::optional<std::string> find_wire_damage(const std::filesystem::path&);

// Every text at this path of field numbers: {1, 1} are the names of a TensorFlow graph's nodes. Damaged messages are
// skipped. Throws DataError for a file that cannot be opened.
std::set<std::string> read_wire_texts(const std::filesystem::path&, const std::vector<int>& fields);

}  // namespace lpot
