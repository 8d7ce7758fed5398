// Serializes numbers and strings to bytes in the byte order of this machine. Used for values in the store and for
// messages between processes.
//
//   ByteWriter writer;
//   writer.number<std::uint32_t>(7);
//   writer.text("conv1");
//   const std::string written = writer.release();
//   ByteReader reader(written, {"statistics", "the stored statistics are damaged"});
//   const auto number = reader.number<std::uint32_t>();  // 7
//
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lpot/core/error.h"

namespace lpot {

class ByteWriter {
 public:
  template <typename T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number<std::uint64_t>(text.size());
    bytes_.append(text);
  }
  template <typename T>
  void numbers(const std::vector<T>& values) {
    number<std::uint64_t>(values.size());
    for (const T value : values) number(value);
  }
  std::string release() { return std::move(bytes_); }  // the bytes; the writer is empty afterwards

 private:
  std::string bytes_;
};

// The reader does not own the bytes; they must outlive it. It never reads outside of them, but throws a StoreError with
// the given message.
class ByteReader {
 public:
  struct ErrorText {
    std::string_view operation;
    std::string_view message;
  };
  ByteReader(std::string_view bytes, ErrorText error) : bytes_(bytes), error_(error) {}

  template <typename T>
  T number() {
    T value{};
    std::memcpy(&value, read(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view view() { return read(number<std::uint64_t>()); }
  std::string text() { return std::string(view()); }
  // The number of elements of at least `bytes_each` bytes. The check prevents large allocations for damaged bytes.
  std::size_t count(std::size_t bytes_each) {
    const auto value = number<std::uint64_t>();
    if (value > bytes_.size() / bytes_each) damaged();
    return value;
  }
  template <typename T>
  std::vector<T> numbers() {
    std::vector<T> values(count(sizeof(T)));
    for (T& value : values) value = number<T>();
    return values;
  }
  bool at_end() const { return bytes_.empty(); }
  [[noreturn]] void damaged() const { throw StoreError(error_.operation, error_.message); }

 private:
  std::string_view read(std::size_t size) {
    if (size > bytes_.size()) damaged();
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }

  std::string_view bytes_;
  ErrorText error_;
};

}  // namespace lpot
