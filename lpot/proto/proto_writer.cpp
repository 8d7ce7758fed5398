#include "lpot/proto/proto_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

namespace lpot::proto {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

template <typename Write>
std::string encode(const Write& write) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    CodedOutputStream coded(&stream);
    write(coded);
  }  // the destructors of the streams trim the string to the written size
  return bytes;
}

// Writes all values without tags into one block.
template <typename T, typename Write>
std::string pack(int field, const std::vector<T>& values, const Write& write) {
  return block(field, encode([&](CodedOutputStream& out) {
                 for (const T value : values) write(value, &out);
               }));
}

}  // namespace

std::string block(int field, std::string_view bytes) {
  return encode([&](CodedOutputStream& out) {
           WireFormatLite::WriteTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED, &out);
           out.WriteVarint64(bytes.size());
         })
      .append(bytes);
}

std::string integer(int field, std::uint64_t value) {
  return encode([&](CodedOutputStream& out) { WireFormatLite::WriteUInt64(field, value, &out); });
}

std::string number(int field, double value) {
  return encode([&](CodedOutputStream& out) { WireFormatLite::WriteDouble(field, value, &out); });
}

std::string number(int field, float value) {
  return encode([&](CodedOutputStream& out) { WireFormatLite::WriteFloat(field, value, &out); });
}

std::string integers(int field, const std::vector<std::int64_t>& values) {
  return pack(field, values, WireFormatLite::WriteInt64NoTag);
}

std::string numbers(int field, const std::vector<double>& values) {
  return pack(field, values, WireFormatLite::WriteDoubleNoTag);
}

std::string numbers(int field, const std::vector<float>& values) {
  return pack(field, values, WireFormatLite::WriteFloatNoTag);
}

}  // namespace lpot::proto
