// Decodes PNG with libpng. As in jpeg.cpp, errors jump back into the function that called libpng, so these functions
// must not have local objects with destructors.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/data/images/formats.h"

namespace lpot {
namespace {

// The state of a libpng reader: the remaining bytes and the error message.
class PngReader {
 public:
  explicit PngReader(std::span<const std::uint8_t> bytes) : left_(bytes) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, [](png_structp, png_const_charp) {});
    if (png) info = png_create_info_struct(png);
    if (!info) fail("out of memory");
    png_set_read_fn(png, this, read);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  [[noreturn]] void fail() { fail(message_); }

  png_structp png = nullptr;
  png_infop info = nullptr;

 private:
  [[noreturn]] void fail(const char* reason) {
    const DataError error("decode", fmt::format("damaged PNG: {}", reason));
    throw error;
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(self->message_, sizeof self->message_, "%s", message);
    png_longjmp(png, 1);
  }

  static void read(png_structp png, png_bytep to, std::size_t count) {
    auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self->left_.size()) png_error(png, "the file is truncated");
    std::copy_n(self->left_.begin(), count, to);
    self->left_ = self->left_.subspan(count);
  }

  std::span<const std::uint8_t> left_;
  char message_[200] = "";
};

// Configures libpng to return 8-bit RGB for all kinds of files.
bool read_header(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_info(reader.png, reader.info);
  png_set_strip_16(reader.png);
  png_set_expand(reader.png);
  png_set_strip_alpha(reader.png);
  png_set_gray_to_rgb(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(PngReader& reader, std::uint8_t** rows) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);  // checks the data after the pixels
  return true;
}

}  // namespace

Tensor decode_png(std::span<const std::uint8_t> bytes) {
  PngReader reader(bytes);
  if (!read_header(reader)) reader.fail();
  const std::size_t height = png_get_image_height(reader.png, reader.info);
  const std::size_t width = png_get_image_width(reader.png, reader.info);
  check_pixels(height, width);
  if (png_get_rowbytes(reader.png, reader.info) != width * 3)
    throw DataError("decode", "unknown kind of PNG; expected 8-bit RGB after conversion");
  Tensor image = Tensor::uninitialized(ElementType::U8, {height, width, 3});
  std::vector<std::uint8_t*> rows(height);
  for (std::size_t row = 0; row < height; ++row) rows[row] = image.data<std::uint8_t>() + row * width * 3;
  if (!read_rows(reader, rows.data())) reader.fail();
  return image;
}

}  // namespace lpot
