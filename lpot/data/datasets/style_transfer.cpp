// All pairs of a content image and a style image, sorted by name, for style transfer networks. The border of the style
// image is cropped by crop_ratio, to remove frames and signatures. Both images are resized with Pillow's bicubic filter
// and scaled to 0..1. There is no ground truth, so the label is 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"
#include "lpot/data/images/decode.h"
#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStyleTransferName = "style_transfer";

Tensor without_border(const Tensor& image, double ratio) {
  const ImageLayout layout = image_layout(image, kStyleTransferName);
  const auto border = [&](std::size_t side) {
    return std::min(static_cast<std::size_t>(std::lround(ratio * static_cast<double>(side))), (side - 1) / 2);
  };
  const std::size_t top = border(layout.height), left = border(layout.width);
  return crop(image, layout, {top, left, layout.height - 2 * top, layout.width - 2 * left}, kStyleTransferName);
}

Tensor from_0_to_1(const Tensor& image) {
  Tensor result(ElementType::F32, image.shape());
  const auto* values = image.data<std::uint8_t>();
  std::transform(values, values + image.size(), result.data<float>(),
                 [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; });
  return result;
}

class StyleTransfer : public Dataset {
 public:
  StyleTransfer(const Component& component, std::vector<fs::path> contents, std::vector<fs::path> styles)
      : contents_(std::move(contents)),
        styles_(std::move(styles)),
        crop_ratio_(component.parameters.number("crop_ratio")),
        width_(static_cast<std::size_t>(component.parameters.integers("resize_shape")[0])),
        height_(static_cast<std::size_t>(component.parameters.integers("resize_shape")[1])),
        identity_(fmt::format("{}({}) {} {}", component.name, component.parameters.describe(),
                              fingerprint_files(contents_), fingerprint_files(styles_))) {}

  std::size_t size() const override { return contents_.size() * styles_.size(); }
  std::string identity() const override { return identity_; }
  Tensor label(std::size_t) const override { return Tensor::scalar<std::int64_t>(0); }

  Sample at(std::size_t index) const override {
    check_index(kStyleTransferName, index, size());
    const Tensor content = read_image({kStyleTransferName, contents_[index / styles_.size()], index});
    const Tensor style =
        without_border(read_image({kStyleTransferName, styles_[index % styles_.size()], index}), crop_ratio_);
    return {{prepared(content), prepared(style)}, label(index)};
  }

 private:
  Tensor prepared(const Tensor& image) const {
    return from_0_to_1(
        resample(image, image_layout(image, kStyleTransferName), height_, width_, Interpolation::Bicubic));
  }

  std::vector<fs::path> contents_, styles_;
  double crop_ratio_;
  std::size_t width_, height_;
  std::string identity_;
};

std::vector<fs::path> images_in(const Component& component, const std::string& parameter) {
  const fs::path folder = component.parameters.text(parameter);
  const std::string ending = lower(component.parameters.text("image_format"));
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw DataError(component.name, fmt::format("{}: {}: no such folder", parameter, folder.string()));
  std::vector<fs::path> images;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && lower(entry.path().filename().string()).ends_with(ending))
      images.push_back(entry.path());
  if (images.empty())
    throw DataError(component.name, fmt::format("{}: {}: found no file whose name ends with '{}' (image_format)",
                                                parameter, folder.string(), ending));
  std::sort(images.begin(), images.end());
  return images;
}

void check(const Component& component) {
  const double ratio = component.parameters.number("crop_ratio");
  if (!(ratio >= 0 && ratio < 0.5))
    throw ConfigError(component.name,
                      fmt::format("{}: crop_ratio is {}; expected the fraction to crop at each side, at "
                                  "least 0 and less than 0.5",
                                  to_string(component.place), ratio));
  const auto& shape = component.parameters.integers("resize_shape");
  if (shape.size() != 2 || std::ranges::any_of(shape, [](auto side) { return side < 1 || side > 65536; }))
    throw ConfigError(component.name, fmt::format("{}: resize_shape is [{}]; expected width and height, each from 1 to "
                                                  "65536",
                                                  to_string(component.place), fmt::join(shape, ", ")));
}

std::unique_ptr<Dataset> make_style_transfer(const Component& component) {
  check(component);
  std::vector<fs::path> contents = images_in(component, "content_folder");
  return std::make_unique<StyleTransfer>(component, std::move(contents), images_in(component, "style_folder"));
}

}  // namespace

DatasetKind style_transfer_dataset() {
  return {{.name = std::string(kStyleTransferName),
           .summary = "all pairs of a content image and a style image, as two inputs",
           .parameters = {{.name = "content_folder",
                           .kind = ValueKind::Path,
                           .required = true,
                           .summary = "folder of the content images"},
                          {.name = "style_folder",
                           .kind = ValueKind::Path,
                           .required = true,
                           .summary = "folder of the style images"},
                          {.name = "crop_ratio",
                           .kind = ValueKind::Number,
                           .default_value = "0.1",
                           .summary = "fraction of a style image that is cropped at each side"},
                          {.name = "resize_shape",
                           .kind = ValueKind::IntegerList,
                           .default_value = "[256, 256]",
                           .summary = "width and height of both images"},
                          {.name = "image_format",
                           .kind = ValueKind::Text,
                           .default_value = "jpg",
                           .summary = "end of the file names"}}},
          make_style_transfer};
}

}  // namespace lpot
