// Reads protobuf's wire format without its .proto files: ONNX models, TensorFlow graphs and records are made of it.
//
//   for (WireReader graph(bytes); graph.next();)
//     if (graph.field() == 1) names.push_back(std::string(graph.text()));
//
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lpot {

// Goes through the fields of one message. The bytes belong to somebody else and must outlive the reader.
// Nothing outside them is read: next() throws DataError for a field that reaches beyond the end or has no known type.
class WireReader {
 public:
  explicit WireReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool next();  // to the next field; false at the end

  int field() const { return field_; }
  bool is_block() const { return type_ == 2; }  // a text, bytes, a message or packed numbers

  std::uint64_t number() const { return number_; }                // of a varint or a fixed field, else 0
  std::span<const std::uint8_t> bytes() const { return block_; }  // of a block, else empty
  std::string_view text() const;
  WireReader message() const { return WireReader(block_); }

  // Numbers of a repeated field, which come one by one or packed in a block.
  std::vector<std::int64_t> integers() const;
  std::vector<float> floats() const;

 private:
  std::uint64_t read_varint();
  std::uint64_t read_fixed(std::size_t size);
  [[noreturn]] void fail(std::string_view what) const;

  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
  int field_ = 0;
  int type_ = 0;
  std::uint64_t number_ = 0;
  std::span<const std::uint8_t> block_;
};

}  // namespace lpot
