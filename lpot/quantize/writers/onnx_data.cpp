#include "lpot/quantize/writers/onnx_data.h"

#include <fstream>
#include <span>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/mapped_file.h"
#include "lpot/model/external_data.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// Tensors of shapes, axes and scalars are smaller, weights that are worth a place in another file are larger.
constexpr std::uint64_t kSmallTensor = 1024;
// Runtimes map the file into memory, and kernels read aligned values.
constexpr std::uint64_t kAlignment = 4096;

// Writes tensors one after the other.
class DataFile {
 public:
  explicit DataFile(const fs::path& path) : path_(path), file_(path, std::ios::binary | std::ios::trunc) {}

  // The offset of the bytes.
  std::uint64_t add(std::span<const std::uint8_t> bytes) {
    const std::uint64_t offset = (size_ + kAlignment - 1) / kAlignment * kAlignment;
    const std::string padding(offset - size_, '\0');
    file_.write(padding.data(), static_cast<std::streamsize>(padding.size()));
    file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    size_ = offset + bytes.size();
    check();
    return offset;
  }

  std::uint64_t close() {
    file_.close();
    check();
    sync_file(path_);
    return size_;
  }

 private:
  void check() const {
    if (!file_) throw StoreError("write", path_.string() + ": cannot write the file. Check that the disk is not full");
  }

  fs::path path_;
  std::ofstream file_;
  std::uint64_t size_ = 0;
};

void set_place(onnx::TensorProto& tensor, const std::string& location, std::uint64_t offset, std::uint64_t bytes) {
  tensor.clear_external_data();
  tensor.set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
  const auto add = [&](const std::string& key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  add("location", location);
  add("offset", std::to_string(offset));
  add("length", std::to_string(bytes));
}

void move_values(const fs::path& source, onnx::TensorProto& tensor, DataFile& file, const std::string& location) {
  if (is_external(tensor)) {
    const ExternalPlace place = external_place(source, tensor);
    const MappedFile content(place.file);
    const std::uint64_t offset = file.add(content.bytes().subspan(place.offset, place.bytes));
    set_place(tensor, location, offset, place.bytes);
  } else if (const std::string& values = tensor.raw_data(); values.size() >= kSmallTensor) {
    const std::uint64_t bytes = values.size();
    const std::uint64_t offset = file.add({reinterpret_cast<const std::uint8_t*>(values.data()), values.size()});
    set_place(tensor, location, offset, bytes);
    tensor.clear_raw_data();
  }
}

}  // namespace

void for_each_tensor(onnx::GraphProto& graph, const std::function<void(onnx::TensorProto&)>& visit) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) visit(tensor);
  for (onnx::NodeProto& node : *graph.mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) visit(*attribute.mutable_t());
      for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) visit(tensor);
      if (attribute.has_g()) for_each_tensor(*attribute.mutable_g(), visit);
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) for_each_tensor(body, visit);
    }
}

void load_values(const fs::path& model, onnx::TensorProto& tensor) {
  const ExternalPlace place = external_place(model, tensor);
  const MappedFile file(place.file);
  const auto bytes = file.bytes().subspan(place.offset, place.bytes);
  tensor.set_raw_data(bytes.data(), bytes.size());
  tensor.clear_external_data();
  tensor.clear_data_location();
}

void load_small_data(const fs::path& source, onnx::ModelProto& model) {
  for_each_tensor(*model.mutable_graph(), [&](onnx::TensorProto& tensor) {
    if (is_external(tensor) && tensor_bytes(tensor) < kSmallTensor) load_values(source, tensor);
  });
}

std::size_t write_data(const DataTarget& to, onnx::ModelProto& model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  std::uint64_t total = model.ByteSizeLong();
  for_each_tensor(graph, [&](const onnx::TensorProto& tensor) {
    if (is_external(tensor)) total += external_place(to.source, tensor).bytes;
  });
  if (total <= to.max_one_file) {
    for_each_tensor(graph, [&](onnx::TensorProto& tensor) {
      if (is_external(tensor)) load_values(to.source, tensor);
    });
    return 0;
  }
  DataFile file(fs::path(to.target).concat(".data"));
  for_each_tensor(graph,
                  [&](onnx::TensorProto& tensor) { move_values(to.source, tensor, file, to.final_name + ".data"); });
  return file.close();
}

}  // namespace lpot
