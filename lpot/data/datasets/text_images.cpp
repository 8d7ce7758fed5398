// Lines of text as images, with the text as label: pictures that a list names, or texts that are rendered with a font.
//
// Recognizers want a fixed height. Images are scaled to it with their aspect ratio. With a width, wider images are
// squeezed to it and narrower ones are padded on the right.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/random.h"
#include "lpot/core/text.h"
#include "lpot/core/text_tensor.h"
#include "lpot/data/datasets/image_labels.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"
#include "lpot/data/images/decode.h"
#include "lpot/data/images/render_text.h"
#include "lpot/data/text/tsv.h"
#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

struct LineSize {
  std::size_t height = 32;
  std::optional<std::size_t> width = {};
  std::optional<std::uint8_t> fill = {};  // of the padding; unset: the last column is repeated
  Interpolation interpolation = Interpolation::Bilinear;
};

// Adds columns on the right.
Tensor padded_right(const Tensor& image, std::size_t width, std::optional<std::uint8_t> fill) {
  const std::size_t height = image.shape()[0], old = image.shape()[1] * 3, row = width * 3;
  Tensor result = Tensor::uninitialized(ElementType::U8, {height, width, 3});
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* from = image.data<std::uint8_t>() + y * old;
    std::uint8_t* to = result.data<std::uint8_t>() + y * row;
    std::memcpy(to, from, old);
    for (std::size_t x = old; x < row; ++x) to[x] = fill ? *fill : from[old - 3 + x % 3];
  }
  return result;
}

Tensor scaled_line(const Tensor& image, const LineSize& size) {
  const ImageLayout layout = image_layout(image, "text_images");
  const double ratio = static_cast<double>(layout.width) / static_cast<double>(layout.height);
  auto width = static_cast<std::size_t>(std::max(1.0, std::round(ratio * static_cast<double>(size.height))));
  if (size.width) width = std::min(width, *size.width);
  const Tensor scaled = resample(image, layout, size.height, width, size.interpolation);
  return size.width && width < *size.width ? padded_right(scaled, *size.width, size.fill) : scaled;
}

// Normally distributed noise on grey values (Box and Muller).
Tensor with_noise(Tensor image, double deviation, std::uint64_t seed) {
  RandomGenerator random(seed, "text_images");
  for (std::size_t pixel = 0; pixel < image.size() / 3; ++pixel) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform(0, 1)));
    const double noise = deviation * radius * std::cos(2 * std::numbers::pi * random.uniform(0, 1));
    for (std::size_t i = 3 * pixel; i < 3 * pixel + 3; ++i) {
      std::uint8_t& value = image.data<std::uint8_t>()[i];
      value = static_cast<std::uint8_t>(std::clamp(std::round(value + noise), 0.0, 255.0));
    }
  }
  return image;
}

class LinesOfText : public Dataset {
 public:
  LinesOfText(LineSize size, std::string identity) : size_(size), identity_(std::move(identity)) {}
  std::string identity() const override { return identity_; }
  Tensor label(std::size_t index) const override {
    check_index("text_images", index, size());
    return to_text_tensor({text(index)});
  }
  Sample at(std::size_t index) const override { return {{scaled_line(image(index), size_)}, label(index)}; }

 private:
  virtual const std::string& text(std::size_t index) const = 0;
  virtual Tensor image(std::size_t index) const = 0;

  LineSize size_;
  std::string identity_;
};

class ListedLines : public LinesOfText {
 public:
  ListedLines(LineSize size, std::string identity, std::vector<ListedText> files)
      : LinesOfText(size, std::move(identity)), files_(std::move(files)) {}
  std::size_t size() const override { return files_.size(); }

 private:
  const std::string& text(std::size_t index) const override { return files_[index].text; }
  Tensor image(std::size_t index) const override {
    check_index("text_images", index, size());
    return read_image({"text_images", files_[index].path, index});
  }

  std::vector<ListedText> files_;
};

struct RenderOptions {
  TextStyle style;
  std::vector<std::int64_t> sizes;  // of the font, used in turn
  double noise = 0;                 // deviation of grey values
  std::uint64_t seed = 0;
};

class RenderedLines : public LinesOfText {
 public:
  RenderedLines(LineSize size, std::string identity, std::vector<std::string> texts, RenderOptions options)
      : LinesOfText(size, std::move(identity)), texts_(std::move(texts)), options_(std::move(options)) {}
  std::size_t size() const override { return texts_.size(); }

 private:
  const std::string& text(std::size_t index) const override { return texts_[index]; }
  Tensor image(std::size_t index) const override {
    check_index("text_images", index, size());
    TextStyle style = options_.style;
    style.size = static_cast<std::size_t>(options_.sizes[index % options_.sizes.size()]);
    const Tensor rendered = render_text(texts_[index], style);
    return options_.noise > 0 ? with_noise(rendered, options_.noise, mix(options_.seed) ^ index) : rendered;
  }

  std::vector<std::string> texts_;
  RenderOptions options_;
};

LineSize read_line_size(const Component& component) {
  LineSize size{.height = read_side(component, "height"), .interpolation = read_interpolation(component)};
  if (component.parameters.has("width")) size.width = read_side(component, "width");
  if (component.parameters.has("fill")) {
    const std::int64_t fill = component.parameters.integer("fill");
    if (fill < 0 || fill > 255) throw config_error(component, fmt::format("fill: expected 0 to 255, got {}", fill));
    size.fill = static_cast<std::uint8_t>(fill);
  }
  return size;
}

RenderOptions read_text_style(const Component& component) {
  const Parameters& parameters = component.parameters;
  RenderOptions options{.style = {.font = parameters.text("font")},
                        .sizes = parameters.integers("font_size"),
                        .noise = parameters.number("noise"),
                        .seed = static_cast<std::uint64_t>(parameters.integer("seed"))};
  if (options.sizes.empty() || !std::all_of(options.sizes.begin(), options.sizes.end(), [](std::int64_t size) {
        return size >= 4 && size <= static_cast<std::int64_t>(kMaxFontSize);
      }))
    throw config_error(component, fmt::format("font_size: expected sizes from 4 to {} pixels", kMaxFontSize));
  const std::int64_t margin = parameters.integer("margin");
  if (margin < 0 || margin > 1024 || !(options.noise >= 0 && options.noise <= 255))
    throw config_error(component, "margin and noise: expected a margin from 0 to 1024 and noise from 0 to 255");
  options.style.margin = static_cast<std::size_t>(margin);
  return options;
}

std::vector<std::string> read_text_lines_of(const std::string& path) {
  const TsvFile file("text_images", path);
  std::vector<std::string> texts;
  for (std::size_t line = 0; line < file.size(); ++line)
    if (std::string text = trim(file.line(line)); !text.empty()) texts.push_back(std::move(text));
  if (texts.empty()) throw DataError("text_images", fmt::format("{}: found no text; expected one text per line", path));
  return texts;
}

std::unique_ptr<Dataset> make_text_images(const Component& component) {
  const Parameters& parameters = component.parameters;
  const LineSize size = read_line_size(component);
  const auto identity = [&](const std::vector<std::filesystem::path>& files) {
    return fmt::format("text_images({}) {}", parameters.describe(), fingerprint_files(files));
  };
  if (parameters.has("texts")) {
    if (parameters.has("root") || parameters.has("list"))
      throw config_error(component, "expected texts (to render them), or root and list (pictures), got both");
    RenderOptions options = read_text_style(component);
    std::string name = identity({parameters.text("texts"), options.style.font});
    return std::make_unique<RenderedLines>(size, std::move(name), read_text_lines_of(parameters.text("texts")),
                                           std::move(options));
  }
  if (!parameters.has("root") || !parameters.has("list"))
    throw config_error(component, "expected texts (to render them), or root and list (pictures)");
  std::vector<ListedText> files = read_texts({"text_images", parameters.text("root"), parameters.text("list")});
  std::vector<std::filesystem::path> paths{parameters.text("list")};
  for (const ListedText& file : files) paths.push_back(file.path);
  return std::make_unique<ListedLines>(size, identity(paths), std::move(files));
}

}  // namespace

DatasetKind text_images_dataset() {
  return {
      {.name = "text_images",
       .summary = "images of lines of text with the text as label: pictures of a list, or rendered texts",
       .parameters =
           {{"root", ValueKind::Path, "", false, "folder of the pictures"},
            {"list", ValueKind::Path, "", false,
             "lines with a file name, a tab and the text (rec_gt.txt of PaddleOCR), or a CSV file with the columns "
             "file and text"},
            {"texts", ValueKind::Path, "", false, "file with one text per line, which are rendered"},
            {"height", ValueKind::Integer, "32", false, "height of all images; they keep their aspect ratio"},
            {"width", ValueKind::Integer, "", false,
             "width of all images: narrower ones are padded on the right, wider ones squeezed (default: any width)"},
            {"fill", ValueKind::Integer, "", false, "grey value of the padding (default: the last column is repeated)"},
            interpolation_parameter(),
            {"font", ValueKind::Path, "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", false,
             "TrueType or OpenType font of rendered texts"},
            {"font_size", ValueKind::IntegerList, "[28]", false, "sizes of the font in pixels, used in turn"},
            {"margin", ValueKind::Integer, "4", false, "pixels around rendered texts, before they are scaled"},
            {"noise", ValueKind::Number, "0", false, "standard deviation of noise on rendered texts, 0 to 255"},
            {"seed", ValueKind::Integer, "1978", false, "seed of the noise"}}},
      make_text_images};
}

}  // namespace lpot
