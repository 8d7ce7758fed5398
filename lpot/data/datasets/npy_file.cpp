#include "lpot/data/datasets/npy_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::uint64_t kMaxHeader = 1 << 20;

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message) {
  throw DataError("npy", fmt::format("{}: {}", path.string(), message));
}

void read_at(std::FILE* file, const std::filesystem::path& path, std::uint64_t offset, std::byte* to,
             std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::pread(fileno(file), to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, std::strerror(errno));
    if (got == 0) fail(path, fmt::format("the file ends at byte {}; expected {} more bytes", offset, count));
    offset += static_cast<std::uint64_t>(got);
    to += got;
    count -= static_cast<std::size_t>(got);
  }
}

std::string read_text(std::FILE* file, const std::filesystem::path& path, std::uint64_t offset, std::size_t count) {
  std::string text(count, '\0');
  read_at(file, path, offset, reinterpret_cast<std::byte*>(text.data()), count);
  return text;
}

// The text after 'key': in the header, which is a Python dict as text. Empty if the key is missing.
std::string_view after_key(std::string_view header, std::string_view key) {
  const auto found = header.find(fmt::format("'{}'", key));
  if (found == std::string_view::npos) return {};
  header.remove_prefix(found + key.size() + 2);
  const auto value = header.find_first_not_of(": ");
  return value == std::string_view::npos ? std::string_view{} : header.substr(value);
}

// Parses "(10, 3)", "(10,)" or "()". Nothing if it is not a tuple of numbers.
std::optional<Shape> parse_shape(std::string_view text) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  text = text.substr(1, end - 1);
  Shape shape;
  while (true) {
    const auto digit = text.find_first_not_of(", ");
    if (digit == std::string_view::npos) return shape;
    text.remove_prefix(digit);
    std::size_t dimension = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), dimension);
    if (error != std::errc()) return std::nullopt;
    shape.push_back(dimension);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (!text.empty() && text[0] != ',' && text[0] != ' ') return std::nullopt;
  }
}

std::optional<Header> parse_header(std::string_view text) {
  Header header;
  const std::string_view descr = after_key(text, "descr");
  const std::string_view order = after_key(text, "fortran_order");
  const auto shape = parse_shape(after_key(text, "shape"));
  if (descr.empty() || !shape || (!order.starts_with("True") && !order.starts_with("False"))) return std::nullopt;
  const char quote = descr[0];
  const bool is_text = quote == '\'' || quote == '"';
  // The descr of a structured type is a list. It is stored for the error message.
  header.descr = is_text ? descr.substr(1, descr.find(quote, 1) - 1) : descr.substr(0, descr.find(']') + 1);
  header.fortran_order = order.starts_with("True");
  header.shape = *shape;
  return header;
}

ElementType parse_descr(const std::string& descr, const std::filesystem::path& path) {
  struct Name {
    std::string_view code;
    ElementType type;
  };
  static constexpr std::array<Name, 12> kNames{{{"b1", ElementType::Bool},
                                                {"u1", ElementType::U8},
                                                {"i1", ElementType::I8},
                                                {"u2", ElementType::U16},
                                                {"i2", ElementType::I16},
                                                {"u4", ElementType::U32},
                                                {"i4", ElementType::I32},
                                                {"u8", ElementType::U64},
                                                {"i8", ElementType::I64},
                                                {"f2", ElementType::F16},
                                                {"f4", ElementType::F32},
                                                {"f8", ElementType::F64}}};
  if (descr.size() == 3 && (descr[0] == '<' || descr[0] == '|'))
    for (const Name& name : kNames)
      if (descr.substr(1) == name.code) return name.type;
  fail(path,
       fmt::format("elements of type '{}', expected little-endian numbers or booleans. Convert them with array.astype",
                   descr));
}

// The size of one row in bytes, or nothing if the array does not have exactly `found` bytes.
std::optional<std::size_t> row_bytes(const Shape& shape, std::size_t element_bytes, std::uint64_t found) {
  std::size_t bytes = element_bytes;
  for (std::size_t i = 1; i < shape.size(); ++i)
    if (__builtin_mul_overflow(bytes, shape[i], &bytes)) return std::nullopt;
  std::size_t total = 0;
  if (__builtin_mul_overflow(bytes, shape[0], &total) || total != found) return std::nullopt;
  return bytes;
}

}  // namespace

NpyFile::NpyFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path_, error)) fail(path_, "no such file");
  file_ = std::shared_ptr<std::FILE>(std::fopen(path_.c_str(), "rbe"), [](std::FILE* file) {
    if (file) std::fclose(file);
  });
  if (!file_) fail(path_, std::strerror(errno));
  const std::uint64_t length = std::filesystem::file_size(path_, error);
  if (error || length < 12) fail(path_, fmt::format("the file has {} bytes, too short for a .npy file", length));
  const std::string start = read_text(file_.get(), path_, 0, 12);
  if (!start.starts_with(kMagic)) fail(path_, "not a .npy file; write it with numpy.save");
  const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(start[i])); };
  if (byte(6) < 1 || byte(6) > 3) fail(path_, fmt::format("format version {}, expected 1 to 3", byte(6)));
  const bool wide = byte(6) >= 2;
  const std::uint64_t header_offset = wide ? 12 : 10;
  const std::uint64_t header_bytes = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
  if (header_bytes > kMaxHeader || header_offset + header_bytes > length)
    fail(path_, fmt::format("a header of {} bytes in a file of {} bytes; the file is truncated", header_bytes, length));

  const auto header = parse_header(read_text(file_.get(), path_, header_offset, header_bytes));
  if (!header) fail(path_, "the header lacks descr, fortran_order or shape; write the file with numpy.save");
  type_ = parse_descr(header->descr, path_);
  shape_ = header->shape;
  if (shape_.empty())
    fail(path_, "found a single number; expected an array whose first dimension is the number of samples");
  if (header->fortran_order && shape_.size() > 1)
    fail(path_, "the array is in Fortran order; save numpy.ascontiguousarray(array) instead");
  data_offset_ = header_offset + header_bytes;
  const auto bytes = row_bytes(shape_, element_size(type_), length - data_offset_);
  if (!bytes)
    fail(path_, fmt::format("{} bytes of data do not match {} {}; write the file again", length - data_offset_,
                            to_string(type_), to_string(shape_)));
  // If rows have no bytes, the size of the file does not confirm the number of rows.
  if (*bytes == 0 && shape_[0] != 0)
    fail(path_, fmt::format("{} rows without values: the shape is {}", shape_[0], to_string(shape_)));
  row_bytes_ = *bytes;
}

Tensor NpyFile::row(std::size_t index) const {
  if (index >= rows())
    fail(path_, fmt::format("row {} does not exist; the array has {} rows, counted from 0", index, rows()));
  Tensor tensor(type_, Shape(shape_.begin() + 1, shape_.end()));
  read_at(file_.get(), path_, data_offset_ + index * row_bytes_, tensor.bytes(), row_bytes_);
  return tensor;
}

}  // namespace lpot
