// Reads protobuf files without their schema: checks that they are complete and finds texts in them.
#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lpot {

// Describes the damage in the outermost fields of the file ("the field at byte 120 needs 4000 bytes and only 90 are
// left..."), or returns nothing. This finds truncated ONNX models and TensorFlow graphs. Throws DataError if the file
// cannot be opened.
std::optional<std::string> find_wire_damage(const std::filesystem::path&);

// All texts at this path of field numbers: {1, 1} gives the names of the nodes of a TensorFlow graph. Damaged messages
// are skipped. Throws DataError if the file cannot be opened.
std::set<std::string> read_wire_texts(const std::filesystem::path&, const std::vector<int>& fields);

}  // namespace lpot
