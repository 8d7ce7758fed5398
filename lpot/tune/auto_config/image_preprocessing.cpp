#include "lpot/tune/auto_config/image_preprocessing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lpot {
namespace {

constexpr std::size_t kClassifierSide = 224;     // of most classifiers without a fixed size
constexpr std::size_t kMaxSide = 640;            // larger images take long and change ranges little
constexpr std::size_t kMultiple = 32;            // the usual total stride of convolutional networks
constexpr std::size_t kLeastCroppedSide = 64;    // smaller networks (MNIST, CIFAR) are trained on uncropped images
constexpr double kLongAspect = 1.6;              // photographs have at most 3:2
constexpr std::size_t kClassifierMultiple = 16;  // their last layer takes a mean, so that sizes need not be exact
constexpr double kCropShare = 0.875;             // of ImageNet evaluations: 224 of 256

bool is_channels(std::int64_t dimension) { return dimension == 1 || dimension == 3; }

std::size_t side(std::int64_t dimension) { return dimension > 0 ? static_cast<std::size_t>(dimension) : 0; }

std::size_t to_multiple(double length, std::size_t multiple = kMultiple) {
  const double multiples = std::max(1.0, std::round(length / static_cast<double>(multiple)));
  return static_cast<std::size_t>(multiples) * multiple;
}

template <typename Of>
double median_of(const std::vector<ImageSize>& images, Of of) {
  std::vector<double> values;
  for (const ImageSize& image : images) values.push_back(of(image));
  if (values.empty()) return of(ImageSize{kClassifierSide, kClassifierSide});
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Scales channels from 0..255 to (x / 255 - mean) / deviation.
struct Scaling {
  std::string name;
  std::string key;
  std::vector<double> mean, deviation;  // of values 0..1; empty: not normalized
  bool divides_by_255 = true;
};

std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  return "[" + text + "]";
}

std::string normalize_line(const Scaling& scaling) {
  return fmt::format("Normalize: {{mean: {}, std: {}}}", list(scaling.mean), list(scaling.deviation));
}

std::vector<std::string> scaling_lines(const ImageInput& input, const Scaling& scaling) {
  std::vector<std::string> lines;
  if (input.is_u8) {
    if (input.channels_first) lines.push_back("Transpose: {perm: [2, 0, 1]}");
    return lines;
  }
  if (scaling.divides_by_255)
    lines.push_back(input.channels_first ? "ToTensor: {}" : "Rescale: {}");
  else if (input.channels_first)
    lines.push_back("Transpose: {perm: [2, 0, 1]}");
  if (!scaling.mean.empty())
    lines.push_back(normalize_line(scaling));
  else if (!scaling.divides_by_255)
    lines.push_back("Cast: {dtype: float32}");
  return lines;
}

std::vector<Scaling> scalings(const ImageInput& input, const std::optional<PixelStatistics>& pixels) {
  if (input.is_u8) return {{"0..255", "0..255", {}, {}, false}};
  const Scaling unit{"0..1", "0..1", {}, {}}, symmetric{"-1..1", "-1..1", {0.5}, {0.5}};
  const Scaling bytes{"0..255", "0..255", {}, {}, false};
  if (input.channels == 3)
    return {{"ImageNet mean and deviation", "imagenet", {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}},
            unit,
            symmetric,
            bytes};
  std::vector<Scaling> all{unit, symmetric, bytes};
  if (pixels)
    all.push_back({"mean and deviation of these images",
                   "images",
                   {std::round(pixels->mean * 1e4) / 1e4},
                   {std::round(pixels->deviation * 1e4) / 1e4}});
  return all;
}

// Caffe's networks subtract the mean of each channel from 0..255, in BGR.
ImageStep caffe_normalization(const ImageInput& input) {
  ImageStep step{"Caffe mean, BGR", {"ReverseChannels: {}"}, "caffe"};
  const Scaling caffe{"", "", {103.939, 116.779, 123.68}, {1, 1, 1}, false};
  for (std::string& line : scaling_lines(input, caffe)) step.transforms.push_back(std::move(line));
  return step;
}

}  // namespace

std::optional<ImageInput> image_input(const std::vector<Port>& inputs) {
  if (inputs.size() != 1 || inputs[0].shape.size() != 4) return std::nullopt;
  const std::vector<std::int64_t>& shape = inputs[0].shape;
  const std::string& type = inputs[0].element_type;
  if (!type.starts_with('f') && !type.starts_with("bf") && type != "u8") return std::nullopt;
  ImageInput input;
  input.is_u8 = type == "u8";
  if (is_channels(shape[1]) || (shape[1] < 0 && !is_channels(shape[3]))) {
    input.channels = shape[1] == 1 ? 1 : 3;
    input.height = side(shape[2]);
    input.width = side(shape[3]);
  } else if (is_channels(shape[3])) {
    input.channels_first = false;
    input.channels = static_cast<std::size_t>(shape[3]);
    input.height = side(shape[1]);
    input.width = side(shape[2]);
  } else {
    return std::nullopt;
  }
  return input;
}

ImageInput with_fixed_size(ImageInput input, std::vector<ImageSize> images, bool is_classifier) {
  if (input.height > 0 && input.width > 0) return input;
  const double aspect = median_of(
      images, [](ImageSize size) { return static_cast<double>(size.width) / static_cast<double>(size.height); });
  if (input.height > 0) {
    input.width = to_multiple(aspect * static_cast<double>(input.height));
  } else if (input.width > 0) {
    input.height = to_multiple(static_cast<double>(input.width) / aspect);
  } else if (is_classifier && aspect < kLongAspect && aspect > 1 / kLongAspect) {
    input.height = input.width = kClassifierSide;
  } else if (is_classifier) {
    // Long images, for example lines of text, lose most of their content in a square.
    const double height = median_of(images, [](ImageSize size) { return static_cast<double>(size.height); });
    const double scale = std::min(1.0, kClassifierSide / (height * std::sqrt(aspect)));
    input.height = to_multiple(height * scale, kClassifierMultiple);
    input.width = to_multiple(height * aspect * scale, kClassifierMultiple);
  } else {
    const double height = median_of(images, [](ImageSize size) { return static_cast<double>(size.height); });
    const double scale = std::min(1.0, kMaxSide / (height * std::max(1.0, aspect)));
    input.height = to_multiple(height * scale);
    input.width = to_multiple(height * aspect * scale);
  }
  return input;
}

ImageStep whole_image(const ImageInput& input, const std::vector<ImageSize>& images, bool keeps_aspect) {
  const ImageSize wanted{input.height, input.width};
  if (std::all_of(images.begin(), images.end(), [&](const ImageSize& size) { return size == wanted; }))
    return {"unchanged size", {}};
  const std::string size = fmt::format("{{size: [{}, {}]}}", input.height, input.width);
  if (keeps_aspect) return {fmt::format("fitted into {} x {}", input.height, input.width), {"LetterBox: " + size}};
  return {fmt::format("resized to {} x {}", input.height, input.width), {"Resize: " + size}};
}

std::vector<ImageStep> image_sizes(const ImageInput& input, const std::vector<ImageSize>& images) {
  const ImageStep whole = whole_image(input, images, false);
  if (whole.transforms.empty()) return {whole};
  if (input.height != input.width || input.height < kLeastCroppedSide) return {whole};
  const auto cropped_from = [&](std::size_t shorter) {
    return ImageStep{
        fmt::format("shorter side {}, center {} x {}", shorter, input.height, input.width),
        {fmt::format("Resize: {{size: {}}}", shorter), fmt::format("CenterCrop: {{size: {}}}", input.height)}};
  };
  const auto larger = static_cast<std::size_t>(std::lround(static_cast<double>(input.height) / kCropShare));
  return {cropped_from(larger), whole, cropped_from(input.height)};
}

std::vector<ImageStep> normalizations(const ImageInput& input, const std::optional<PixelStatistics>& pixels) {
  std::vector<ImageStep> steps;
  for (const Scaling& scaling : scalings(input, pixels)) {
    const std::vector<std::string> lines = scaling_lines(input, scaling);
    if (input.channels == 1) {
      steps.push_back({scaling.name, lines, scaling.key});
      continue;
    }
    steps.push_back({scaling.name + ", RGB", lines, scaling.key});
    steps.push_back({scaling.name + ", BGR", {"ReverseChannels: {}"}, scaling.key + "-bgr"});
    steps.back().transforms.insert(steps.back().transforms.end(), lines.begin(), lines.end());
  }
  if (input.channels == 3 && !input.is_u8) steps.push_back(caffe_normalization(input));
  return steps;
}

std::vector<std::string> image_transforms(const ImageInput& input, const ImageStep& size,
                                          const ImageStep& normalization) {
  std::vector<std::string> lines;
  if (input.channels == 1) lines.push_back("AlignImageChannel: {dim: 1}");
  lines.insert(lines.end(), size.transforms.begin(), size.transforms.end());
  lines.insert(lines.end(), normalization.transforms.begin(), normalization.transforms.end());
  return lines;
}

}  // namespace lpot
