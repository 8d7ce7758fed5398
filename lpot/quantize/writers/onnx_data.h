// External data of ONNX files that are read and written (model/external_data.h). The values of large tensors stay in
// their file until they are written, so a model of many GB needs little memory.
#pragma once
#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace lpot {

// Visits the initializers and the tensors in attributes, including those of subgraphs.
void for_each_tensor(onnx::GraphProto&, const std::function<void(onnx::TensorProto&)>& visit);

// Puts the values of an external tensor into it. `source`: the file of the model.
void load_values(const std::filesystem::path& source, onnx::TensorProto&);

// Loads the values of small external tensors of the main graph, because some of them are shapes and axes that the
// writer reads. Larger tensors are only copied or replaced.
void load_small_data(const std::filesystem::path& source, onnx::ModelProto&);

struct DataTarget {
  const std::filesystem::path& source;  // the file that external tensors of the model belong to
  const std::filesystem::path& target;  // the file that will be written
  const std::string& final_name;        // to which it will be renamed
  std::uint64_t max_one_file = 0;
};

// Puts all values into the model if it then has at most `max_one_file` bytes. Otherwise moves the values of its large
// tensors to `target` + ".data". Returns the size of that file, 0 without one.
std::size_t write_data(const DataTarget&, onnx::ModelProto&);

}  // namespace lpot
