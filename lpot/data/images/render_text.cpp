#include "lpot/data/images/render_text.h"

#include <fmt/format.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cstring>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/core/unicode.h"

namespace lpot {
namespace {

constexpr std::ptrdiff_t kUnitsPerPixel = 64;  // of FreeType's positions

// A font at one size. FreeType objects are not shared between threads, so each rendering opens the font.
class FontFace {
 public:
  explicit FontFace(const TextStyle& style) : style_(style) {
    if (FT_Init_FreeType(&library_) != 0) throw DataError("render", "FreeType cannot be initialized");
    if (FT_New_Face(library_, style.font.c_str(), 0, &face_) != 0 ||
        FT_Set_Pixel_Sizes(face_, 0, static_cast<FT_UInt>(style.size)) != 0) {
      FT_Done_FreeType(library_);
      throw DataError("render", fmt::format("{}: no font that can be read; expected a TrueType or OpenType font, for "
                                            "example of the Debian package fonts-dejavu-core",
                                            style.font.string()));
    }
  }
  ~FontFace() { FT_Done_FreeType(library_); }  // also frees the face
  FontFace(const FontFace&) = delete;
  FontFace& operator=(const FontFace&) = delete;

  FT_UInt glyph_of(CodePoint point) const {
    const FT_UInt glyph = FT_Get_Char_Index(face_, point);
    if (glyph != 0) return glyph;
    std::string character;
    append(character, point);
    throw DataError("render", fmt::format("{}: the font has no glyph for '{}' (U+{:04X}); use a font with it",
                                          style_.font.string(), character, static_cast<std::uint32_t>(point)));
  }

  FT_GlyphSlot load(FT_UInt glyph) const {
    if (FT_Load_Glyph(face_, glyph, FT_LOAD_RENDER) != 0 || face_->glyph->bitmap.pixel_mode != FT_PIXEL_MODE_GRAY)
      throw DataError("render", fmt::format("{}: glyph {} cannot be rendered; expected an outline font",
                                            style_.font.string(), glyph));
    return face_->glyph;
  }

  std::ptrdiff_t kerning(FT_UInt left, FT_UInt right) const {
    FT_Vector space{0, 0};
    if (left != 0) FT_Get_Kerning(face_, left, right, FT_KERNING_DEFAULT, &space);
    return space.x;
  }

 private:
  const TextStyle& style_;
  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

// The bitmap of a character; positions in pixels, from the start of the baseline.
struct PlacedGlyph {
  std::ptrdiff_t left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> coverage;
};

PlacedGlyph place(FT_GlyphSlot slot, std::ptrdiff_t x) {
  const FT_Bitmap& bitmap = slot->bitmap;
  PlacedGlyph glyph{x + slot->bitmap_left, -slot->bitmap_top, bitmap.width, bitmap.rows, {}};
  for (unsigned row = 0; row < bitmap.rows; ++row) {
    const unsigned char* start = bitmap.buffer + static_cast<std::ptrdiff_t>(row) * bitmap.pitch;
    glyph.coverage.insert(glyph.coverage.end(), start, start + bitmap.width);
  }
  return glyph;
}

struct PlacedText {
  std::vector<PlacedGlyph> glyphs;
  std::ptrdiff_t left = 0, right = 1, top = 0, bottom = 1;
};

PlacedText place_text(const std::string& text, const FontFace& face) {
  PlacedText placed;
  std::ptrdiff_t pen = 0;
  FT_UInt previous = 0;
  for (CodePoints points(text); points.next();) {
    const FT_UInt glyph = face.glyph_of(points.code_point());
    pen += face.kerning(previous, glyph);
    const FT_GlyphSlot slot = face.load(glyph);
    const PlacedGlyph& added = placed.glyphs.emplace_back(place(slot, pen / kUnitsPerPixel));
    pen += slot->advance.x;
    previous = glyph;
    placed.left = std::min(placed.left, added.left);
    placed.right = std::max({placed.right, added.left + added.width, pen / kUnitsPerPixel});
    placed.top = std::min(placed.top, added.top);
    placed.bottom = std::max(placed.bottom, added.top + added.height);
  }
  return placed;
}

}  // namespace

Tensor render_text(const std::string& text, const TextStyle& style) {
  if (text.empty() || text.size() > kMaxTextBytes)
    throw DataError("render", fmt::format("a text of {} bytes; expected 1 to {}", text.size(), kMaxTextBytes));
  const FontFace face(style);
  const PlacedText placed = place_text(text, face);
  const auto margin = static_cast<std::ptrdiff_t>(style.margin);
  const std::ptrdiff_t width = placed.right - placed.left + 2 * margin;
  const std::ptrdiff_t height = placed.bottom - placed.top + 2 * margin;
  Tensor image =
      Tensor::uninitialized(ElementType::U8, {static_cast<std::size_t>(height), static_cast<std::size_t>(width), 3});
  auto* pixels = image.data<std::uint8_t>();
  std::memset(pixels, 255, image.byte_size());
  for (const PlacedGlyph& glyph : placed.glyphs)
    for (std::ptrdiff_t y = 0; y < glyph.height; ++y)
      for (std::ptrdiff_t x = 0; x < glyph.width; ++x) {
        const auto value =
            static_cast<std::uint8_t>(255 - glyph.coverage[static_cast<std::size_t>(y * glyph.width + x)]);
        std::uint8_t* pixel =
            pixels + ((glyph.top - placed.top + margin + y) * width + glyph.left - placed.left + margin + x) * 3;
        for (int channel = 0; channel < 3; ++channel) pixel[channel] = std::min(pixel[channel], value);
      }
  return image;
}

}  // namespace lpot
