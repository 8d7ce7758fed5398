// Renders lines of text with a TrueType or OpenType font.
//
//   const Tensor image = render_text("hello", {.font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"});
//   const std::size_t height = image.shape()[0];   // u8 [height,width,3]
//
// Dark text on a white ground, from left to right with kerning. Characters are not combined or reordered, so scripts
// that need this (Arabic, Devanagari) are not rendered properly.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include "lpot/core/tensor.h"

namespace lpot {

struct TextStyle {
  std::filesystem::path font;
  std::size_t size = 28;   // in pixels per em
  std::size_t margin = 4;  // pixels on all sides
};

inline constexpr std::size_t kMaxFontSize = 512;
inline constexpr std::size_t kMaxTextBytes = 4096;

// Throws DataError if the font cannot be read or has no glyph for a character, or if the text is empty or too long.
Tensor render_text(const std::string& text, const TextStyle&);

}  // namespace lpot
