// Fits an image into a fixed size and keeps its aspect ratio: resizes it until one side fits, and pads the other. Moves
// the boxes of the label into the padded image, so that they can be compared with the boxes of the network.
//
// Sizes and offsets are rounded as in YOLOv5 and YOLOv8. Bilinear without anti-aliasing, like OpenCV.
#include <algorithm>
#include <cmath>

#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/padding.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

struct LetterBoxOptions {
  std::size_t height = 0, width = 0;
  double color = 0;
  bool enlarges = true;
  bool is_centered = true;
};

std::size_t scaled_side(std::size_t side, double scale, std::size_t most) {
  const double wanted = std::nearbyint(static_cast<double>(side) * scale);
  return std::min(most, static_cast<std::size_t>(std::max(1.0, wanted)));
}

// Half of the padding; an odd pixel goes to the bottom or the right.
std::size_t offset(std::size_t side, std::size_t image, bool is_centered) {
  return is_centered ? (side - image) / 2 : 0;
}

Sample letter_box(Sample sample, const LetterBoxOptions& options) {
  if (sample.inputs.empty()) throw DataError("LetterBox", "the sample has no input; expected at least one");
  ImageLayout layout = image_layout(sample.inputs[0], "LetterBox");
  double scale = std::min(static_cast<double>(options.height) / static_cast<double>(layout.height),
                          static_cast<double>(options.width) / static_cast<double>(layout.width));
  if (!options.enlarges) scale = std::min(scale, 1.0);
  const std::size_t height = scaled_side(layout.height, scale, options.height);
  const std::size_t width = scaled_side(layout.width, scale, options.width);
  const Tensor image = resample(sample.inputs[0], layout, height, width, Interpolation::PlainBilinear);
  layout.height = height;
  layout.width = width;
  const Canvas canvas{options.height, options.width, offset(options.height, height, options.is_centered),
                      offset(options.width, width, options.is_centered)};
  sample.label = move_boxes(sample.label, layout, canvas);
  sample.inputs[0] = pad(image, layout, canvas, options.color);
  return sample;
}

Transform make_letter_box(const Component& component) {
  const std::vector<std::size_t> size = read_size(component);
  const std::string& position = component.parameters.text("position");
  if (position != "center" && position != "top_left")
    throw config_error(component, fmt::format("position: expected center or top_left, got '{}'", position));
  const LetterBoxOptions options{size.front(), size.back(), component.parameters.number("color"),
                                 component.parameters.flag("enlarge"), position == "center"};
  return {component.name, [=](Sample sample, std::uint64_t) { return letter_box(std::move(sample), options); },
          fmt::format("{}({})", component.name, component.parameters.describe())};
}

}  // namespace

TransformKind letter_box_transform() {
  return {{.name = "LetterBox",
           .summary = "resizes to fit a size, keeps the aspect ratio and pads the rest; moves boxes",
           .parameters = {{.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "one number for both sides, or [height, width]"},
                          {.name = "color",
                           .kind = ValueKind::Number,
                           .default_value = "114",
                           .summary = "value of the padding in all channels"},
                          {.name = "enlarge",
                           .kind = ValueKind::Flag,
                           .default_value = "true",
                           .summary = "also enlarge images that are smaller than the size"},
                          {.name = "position",
                           .default_value = "center",
                           .summary = "where the image is placed: center as in YOLOv5 and v8, top_left as in YOLOX",
                           .choices = {"center", "top_left"}}},
           .shorthand = "size"},
          make_letter_box};
}

}  // namespace lpot
