// Decodes JPEG with libjpeg-turbo and Pillow's settings: the accurate integer DCT and smooth chroma upsampling.
//
// libjpeg's error handler must not return, so it jumps back into the function that called libjpeg. Such a function must
// not have local objects with destructors. A Decompressor outside of it owns everything that must be freed.
#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/data/images/formats.h"

// jpeglib.h needs the headers above.
#include <jerror.h>
#include <jpeglib.h>

namespace lpot {
namespace {

struct ErrorHandler {
  jpeg_error_mgr base;  // the first member, so that libjpeg's pointer to it also points to the ErrorHandler
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto* handler = reinterpret_cast<ErrorHandler*>(info->err);
  info->err->format_message(info, handler->message);
  std::longjmp(handler->back, 1);
}

// Warnings about lost pixels are errors. Other warnings, such as extra bytes between segments, are harmless.
void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      on_error(info);
    default:
      return;
  }
}

class Decompressor {
 public:
  Decompressor() {
    info.err = jpeg_std_error(&handler.base);
    handler.base.error_exit = on_error;
    handler.base.emit_message = on_message;
    handler.base.output_message = [](j_common_ptr) {};
    handler.message[0] = '\0';
  }
  ~Decompressor() {
    jpeg_destroy_decompress(&info);
  }  // also valid before jpeg_create_decompress, because info is zeroed
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  [[noreturn]] void fail() const { throw DataError("decode", fmt::format("damaged JPEG: {}", handler.message)); }

  jpeg_decompress_struct info{};
  ErrorHandler handler{};
};

bool is_cmyk(const jpeg_decompress_struct& info) {
  return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
}

bool read_header(Decompressor& jpeg, const std::uint8_t* bytes, unsigned long size) {
  if (setjmp(jpeg.handler.back)) return false;
  jpeg_create_decompress(&jpeg.info);
  jpeg_mem_src(&jpeg.info, bytes, size);
  jpeg_read_header(&jpeg.info, TRUE);
  jpeg.info.out_color_space = is_cmyk(jpeg.info) ? JCS_CMYK : JCS_RGB;
  jpeg.info.dct_method = JDCT_ISLOW;
  jpeg.info.do_fancy_upsampling = TRUE;
  return true;
}

bool read_rows(Decompressor& jpeg, std::uint8_t* pixels, std::size_t row_bytes) {
  if (setjmp(jpeg.handler.back)) return false;
  jpeg_start_decompress(&jpeg.info);
  while (jpeg.info.output_scanline < jpeg.info.output_height) {
    JSAMPROW row = pixels + jpeg.info.output_scanline * row_bytes;
    jpeg_read_scanlines(&jpeg.info, &row, 1);
  }
  jpeg_finish_decompress(&jpeg.info);
  return true;
}

// Adobe stores inverted CMYK values. The rounding equals Pillow's.
void cmyk_to_rgb(const std::vector<std::uint8_t>& from, std::uint8_t* to) {
  for (std::size_t i = 0; i < from.size(); i += 4)
    for (std::size_t ink = 0; ink < 3; ++ink) {
      const int light = from[i + 3];
      const int product = (255 - from[i + ink]) * light + 128;
      *to++ = static_cast<std::uint8_t>(light - (((product >> 8) + product) >> 8));
    }
}

}  // namespace

Tensor decode_jpeg(std::span<const std::uint8_t> bytes) {
  Decompressor jpeg;
  if (!read_header(jpeg, bytes.data(), bytes.size())) jpeg.fail();
  const std::size_t height = jpeg.info.image_height, width = jpeg.info.image_width;
  check_pixels(height, width);
  Tensor image = Tensor::uninitialized(ElementType::U8, {height, width, 3});
  if (!is_cmyk(jpeg.info)) {
    if (!read_rows(jpeg, image.data<std::uint8_t>(), width * 3)) jpeg.fail();
    return image;
  }
  std::vector<std::uint8_t> inks(height * width * 4);
  if (!read_rows(jpeg, inks.data(), width * 4)) jpeg.fail();
  cmyk_to_rgb(inks, image.data<std::uint8_t>());
  return image;
}

}  // namespace lpot
