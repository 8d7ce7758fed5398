#include "lpot/model/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/mapped_file.h"
#include "lpot/model/onnx_file.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_external(const fs::path& model, const onnx::TensorProto& tensor, const std::string& what) {
  throw ModelError("load_model", fmt::format("{}: the external data of '{}': {}", model.string(), tensor.name(), what));
}

unsigned bits_of(int type) {
  switch (type) {
    case onnx::TensorProto_DataType_DOUBLE:
    case onnx::TensorProto_DataType_INT64:
    case onnx::TensorProto_DataType_UINT64:
      return 64;
    case onnx::TensorProto_DataType_FLOAT:
    case onnx::TensorProto_DataType_INT32:
    case onnx::TensorProto_DataType_UINT32:
      return 32;
    case onnx::TensorProto_DataType_FLOAT16:
    case onnx::TensorProto_DataType_BFLOAT16:
    case onnx::TensorProto_DataType_INT16:
    case onnx::TensorProto_DataType_UINT16:
      return 16;
    case onnx::TensorProto_DataType_INT8:
    case onnx::TensorProto_DataType_UINT8:
    case onnx::TensorProto_DataType_BOOL:
      return 8;
    default:
      return 0;
  }
}

std::uint64_t number_of(const fs::path& model, const onnx::TensorProto& tensor, const std::string& key,
                        const std::string& text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    fail_external(model, tensor, fmt::format("{} is '{}'; expected a number. Export the model again", key, text));
  return number;
}

// The path of the data file. A model from an unknown source must not be able to read other files of the user.
fs::path data_file(const fs::path& model, const onnx::TensorProto& tensor, const std::string& location) {
  const fs::path relative(location);
  const bool leaves = std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; });
  if (location.empty() || relative.is_absolute() || leaves)
    fail_external(model, tensor,
                  fmt::format("the location is '{}'; expected a relative path inside the folder of the model. Save the "
                              "model again with its data beside it",
                              location));
  const fs::path file = model.parent_path() / relative;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored))
    fail_external(model, tensor, fmt::format("the file {} is missing; copy this file too", file.string()));
  return file;
}

}  // namespace

bool is_external(const onnx::TensorProto& tensor) {
  return tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL;
}

std::uint64_t tensor_bytes(const onnx::TensorProto& tensor) {
  const std::uint64_t bits = bits_of(tensor.data_type());
  std::uint64_t count = 1;
  for (const std::int64_t dim : tensor.dims()) {
    constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 56;  // no file is that large, and bits do not overflow
    if (dim < 0 || (dim > 0 && count > kMaxCount / static_cast<std::uint64_t>(dim)))
      throw ModelError("load_model", fmt::format("tensor '{}': found dimension {}; expected the shape of a tensor. "
                                                 "Download or export the file again",
                                                 tensor.name(), dim));
    count *= static_cast<std::uint64_t>(dim);
  }
  return (count * bits + 7) / 8;
}

ExternalPlace external_place(const fs::path& model, const onnx::TensorProto& tensor) {
  std::string location;
  ExternalPlace place{.file = {}, .offset = 0, .bytes = tensor_bytes(tensor)};
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") place.offset = number_of(model, tensor, "offset", entry.value());
    if (entry.key() != "length") continue;
    const std::uint64_t length = number_of(model, tensor, "length", entry.value());
    if (place.bytes > 0 && length != place.bytes)
      fail_external(model, tensor,
                    fmt::format("the length is {} bytes; expected {} for its type and shape. Export the model again",
                                length, place.bytes));
    place.bytes = length;
  }
  place.file = data_file(model, tensor, location);
  const std::uint64_t available = fs::file_size(place.file);
  if (place.offset > available || place.bytes > available - place.offset)
    fail_external(model, tensor,
                  fmt::format("the file {} has {} bytes; expected at least {}. It is truncated: download or export it "
                              "again",
                              place.file.string(), available, fmt::format("{} + {}", place.offset, place.bytes)));
  return place;
}

std::vector<fs::path> external_data_files(const fs::path& model) {
  std::set<fs::path> files;
  const MappedFile content(model);
  for (const onnx::TensorProto& tensor : read_external_tensors(content.bytes()))
    files.insert(external_place(model, tensor).file);
  return {files.begin(), files.end()};
}

}  // namespace lpot
