#include "lpot/distributed/messages.h"

#include "lpot/core/error.h"

namespace lpot {
namespace {

enum class ErrorKind : std::uint8_t { Other, Config, Model, Data, Store, Caller, Distributed };

template <typename Kind>
bool is(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

ErrorKind error_kind(const std::exception& error) {
  if (is<ConfigError>(error)) return ErrorKind::Config;
  if (is<ModelError>(error)) return ErrorKind::Model;
  if (is<DataError>(error)) return ErrorKind::Data;
  if (is<StoreError>(error)) return ErrorKind::Store;
  if (is<CallerError>(error)) return ErrorKind::Caller;
  return is<DistributedError>(error) ? ErrorKind::Distributed : ErrorKind::Other;
}

std::exception_ptr make_error(ErrorKind kind, const std::string& operation, const std::string& message) {
  switch (kind) {
    case ErrorKind::Config:
      return std::make_exception_ptr(ConfigError(operation, message));
    case ErrorKind::Model:
      return std::make_exception_ptr(ModelError(operation, message));
    case ErrorKind::Data:
      return std::make_exception_ptr(DataError(operation, message));
    case ErrorKind::Store:
      return std::make_exception_ptr(StoreError(operation, message));
    case ErrorKind::Caller:
      return std::make_exception_ptr(CallerError(operation, message));
    case ErrorKind::Distributed:
      return std::make_exception_ptr(DistributedError(operation, message));
    case ErrorKind::Other:
      break;
  }
  return std::make_exception_ptr(Error(operation, message));
}

}  // namespace

std::string make_message(MessageType type, std::string_view content) {
  std::string bytes(1, static_cast<char>(type));
  bytes += content;
  return bytes;
}

std::string to_bytes(const std::exception_ptr& thrown) {
  ByteWriter writer;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    writer.number(error_kind(error));
    writer.text(error.what());
  } catch (...) {
    writer.number(ErrorKind::Other);
    writer.text("unknown error");
  }
  return writer.release();
}

std::exception_ptr error_from_bytes(std::string_view bytes, const std::string& prefix) {
  ByteReader reader(bytes, kDamagedMessage);
  const auto kind = reader.number<ErrorKind>();
  const std::string text = reader.text();  // "[operation] message"
  const auto end = text.starts_with("[") ? text.find("] ") : std::string::npos;
  if (end == std::string::npos) return make_error(kind, "distributed", prefix + text);
  return make_error(kind, text.substr(1, end - 1), prefix + text.substr(end + 2));
}

void write(ByteWriter& writer, const Shapes& shapes) {
  writer.number<std::uint64_t>(shapes.size());
  for (const Shape& shape : shapes) writer.numbers(shape);
}

Shapes read_shapes(ByteReader& reader) {
  Shapes shapes(reader.count(sizeof(std::uint64_t)));
  for (Shape& shape : shapes) shape = reader.numbers<std::size_t>();
  return shapes;
}

void write(ByteWriter& writer, const std::vector<Tensor>& tensors) {
  writer.number<std::uint64_t>(tensors.size());
  for (const Tensor& tensor : tensors) {
    writer.number<std::uint8_t>(tensor.empty());
    if (tensor.empty()) continue;
    writer.number(tensor.element_type());
    writer.numbers(tensor.shape());
    writer.text({reinterpret_cast<const char*>(tensor.bytes()), tensor.byte_size()});
  }
}

std::vector<Tensor> read_tensors(ByteReader& reader) {
  std::vector<Tensor> tensors(reader.count(1));
  for (Tensor& tensor : tensors) {
    if (reader.number<std::uint8_t>() != 0) continue;
    const auto type = reader.number<ElementType>();
    tensor = Tensor(type, reader.numbers<std::size_t>());
    const std::string_view bytes = reader.view();
    if (bytes.size() != tensor.byte_size()) reader.damaged();
    std::memcpy(tensor.bytes(), bytes.data(), bytes.size());
  }
  return tensors;
}

}  // namespace lpot
