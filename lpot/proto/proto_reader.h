// Reads protobuf messages that have no generated classes: TensorFlow graphs, records, the outer fields of ONNX files.
// Tags and numbers are decoded by protobuf's CodedInputStream.
//
//   for (ProtoReader graph(bytes); graph.next();)
//     if (graph.field() == 1) names.push_back(std::string(graph.text()));
//
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

// Iterates over the fields of one message. The reader does not own the bytes; they must outlive it. It never reads
// outside of them: next() throws DataError for a field that reaches beyond the end or has an unknown wire type.
// Messages may be larger than the 2 GB that one CodedInputStream can hold.
class ProtoReader {
 public:
  explicit ProtoReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool next();  // to the next field; false at the end

  // Skips all remaining fields. Describes the first one that cannot be read, if there is one.
  std::optional<std::string> find_damage();

  int field() const { return field_; }
  bool is_block() const;  // length-delimited: a string, bytes, a message or packed numbers

  std::uint64_t number() const { return number_; }                // of a varint or a fixed field, else 0
  std::span<const std::uint8_t> bytes() const { return block_; }  // of a block, else empty
  std::string_view text() const;
  ProtoReader message() const { return ProtoReader(block_); }
  std::span<const std::uint8_t> with_tag() const { return bytes_.subspan(begin_, position_ - begin_); }

  // Numbers of a repeated field, one per field or packed in a block. Empty for fields of another wire type.
  std::vector<std::int64_t> integers() const;
  std::vector<float> floats() const;

 private:
  std::string read_field();  // an error message, or ""

  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;  // after the current field
  std::size_t begin_ = 0;     // of the current field
  int field_ = 0;
  int type_ = -1;
  std::uint64_t number_ = 0;
  std::span<const std::uint8_t> block_;
};

}  // namespace lpot
