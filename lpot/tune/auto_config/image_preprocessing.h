// The usual ways to turn an image into the input of a model: sizes and normalizations as lines of a configuration.
//
//   const auto input = image_input(model_inputs(model));
//   if (input) std::cout << normalizations(*input, {}).front().name << "\n";  // ImageNet mean and deviation, RGB
//
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

// The image input of a model.
struct ImageInput {
  std::size_t channels = 3;  // 1 or 3
  std::size_t height = 0;    // 0: any
  std::size_t width = 0;
  bool channels_first = true;
  bool is_u8 = false;

  bool operator==(const ImageInput&) const = default;
};

// The input if the model has exactly one input and its shape is that of images: rank 4 with 1 or 3 channels.
std::optional<ImageInput> image_input(const std::vector<Port>&);

struct ImageSize {
  std::size_t height = 0, width = 0;
  bool operator==(const ImageSize&) const = default;
};

// The input with its dynamic sizes replaced by fixed ones. A classifier gets 224 x 224, or for long images their median
// size with at most as many pixels. Other models get the median size of the images, at most 640, as a multiple of 32.
// If one side is fixed, the other one follows the median aspect ratio.
ImageInput with_fixed_size(ImageInput, std::vector<ImageSize> images, bool is_classifier);

// A step of the preprocessing: transforms as in a configuration, one per line.
struct ImageStep {
  std::string name;
  std::vector<std::string> transforms;
  std::string key = {};  // of a normalization: the short name for options, "imagenet-bgr"
};

// The ways to reach the size of the input, the most usual first. One without transforms if all images have this size.
std::vector<ImageStep> image_sizes(const ImageInput&, const std::vector<ImageSize>& images);

// The way to reach the size with the whole image: with its aspect ratio (`LetterBox`), as detectors expect it, or
// without.
ImageStep whole_image(const ImageInput&, const std::vector<ImageSize>& images, bool keeps_aspect);

// Mean and deviation of pixels, 0..1.
struct PixelStatistics {
  double mean = 0;
  double deviation = 1;
};

// The normalizations, the most usual first, each with RGB and BGR for three channels. The last transform converts to
// the layout and type of the input. `pixels` adds a normalization by the data's own statistics, for grey images.
std::vector<ImageStep> normalizations(const ImageInput&, const std::optional<PixelStatistics>& pixels);

// All transforms from a decoded image to the input.
std::vector<std::string> image_transforms(const ImageInput&, const ImageStep& size, const ImageStep& normalization);

}  // namespace lpot
